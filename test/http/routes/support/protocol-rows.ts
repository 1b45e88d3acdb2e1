// The fields of the bodies of protocols and their forms.

import { numbered } from '../../support/samples.js';
import { decision, ID, list, type Row, required, text, within } from './rows.js';

const protocol: readonly Row[] = [
  ['name', 5, 'invalid-type'],
  ['name', ' \t\n', 'blank'],
  ['name', 'Pain\u202e', 'control-character'],
  ['name', text(501), 'too-big'],
  ['prompt', {}, 'invalid-type'],
  ['prompt', text(100_001), 'too-big'],
];
const option: readonly Row[] = [
  ['optionText', '', 'blank'],
  ['optionText', text(2_001), 'too-big'],
  ['score', '1', 'invalid-type'],
  ['position', 1.5, 'invalid-type'],
  ['position', -1, 'too-small'],
  ['position', 1_000_000_001, 'too-big'],
];
const question: readonly Row[] = [
  ['questionText', '\n', 'blank'],
  ['questionText', text(10_001), 'too-big'],
  ['responseType', 'select', 'invalid-value'],
  ['metadata', null, 'invalid-type'],
  ['metadata', Object.fromEntries(numbered(201, (n) => [`${n}`, n])), 'too-big'],
  ['metadata', { minValue: 2, maxValue: 1 }, 'inverted'],
  ['metadata/minValue', '1', 'invalid-format'],
  ['metadata/maxValue', '1', 'invalid-format'],
  ['metadata/minLength', -1, 'too-small'],
  ['metadata/maxLength', 1.5, 'invalid-type'],
  ['metadata/dateFormat', 5, 'invalid-type'],
  ['metadata/dateFormat', text(101), 'too-big'],
  ['required', 1, 'invalid-type'],
  ['weight', null, 'invalid-type'],
  ['position', -1, 'too-small'],
  ['position', 1_000_000_001, 'too-big'],
];
const range = { minScore: 0, maxScore: 1, classification: 'All' };
const scoreRange: readonly Row[] = [
  ['minScore', '0', 'invalid-type'],
  ['maxScore', null, 'invalid-type'],
  ['classification', ' ', 'blank'],
  ['classification', text(501), 'too-big'],
];
const asked = { questionText: 'What?', responseType: 'TEXT' };
const chosen = { optionText: 'A', score: 1 };
const content: readonly Row[] = [
  ...required('questions', 'scoreRanges'),
  ['questions', {}, 'invalid-type'],
  ['questions', [], 'too-small'],
  ['questions', list(501, asked), 'too-big'],
  ['questions/0', 'What?', 'invalid-type'],
  ...within('questions/0', [
    ...question,
    ...required('questionText'),
    ['options', null, 'invalid-type'],
    ['options', list(201, chosen), 'too-big'],
    ['options/0', 'nothing', 'invalid-type'],
    ...within('options/0', [...option, ...required('optionText', 'score')]),
    ['options/1/position', 1, 'duplicate'],
  ]),
  ['questions/1/position', 1, 'duplicate'],
  ['scoreRanges', null, 'invalid-type'],
  ['scoreRanges', numbered(501, (n) => ({ ...range, minScore: 2 * n, maxScore: 2 * n + 1 })), 'too-big'],
  ...within('scoreRanges/0', [...scoreRange, ...required('minScore', 'maxScore', 'classification')]),
  ['scoreRanges/0', { ...range, minScore: 5 }, 'inverted'],
  ['scoreRanges/1', { ...range, maxScore: 9 }, 'overlap'],
];
const kept: readonly Row[] = [
  ['questions/0/id', 7, 'invalid-type'],
  ['questions/0/options/0/id', 'x', 'invalid-format'],
  ['scoreRanges/0/id', 'x', 'invalid-format'],
];
const answers: readonly Row[] = [
  ...required('answers'),
  ['answers', list(501, { questionId: ID }), 'too-big'],
  ...within('answers/0', [
    ...required('questionId'),
    ['optionIds', list(201, ID), 'too-big'],
    ['value', {}, 'invalid-type'],
  ]),
];
const order = (limit: number): readonly Row[] => [
  ...required('ids'),
  ['ids', list(limit + 1, ID), 'too-big'],
  ['ids/0', 'x', 'invalid-format'],
  ['ids/1', '018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70', 'duplicate'],
];

/** The rows of each route of protocols with a body. */
export const protocolFields: Readonly<Record<string, readonly Row[]>> = {
  'POST /protocols': [...protocol, ...required('institutionId', 'name'), ['institutionId', '123', 'invalid-format']],
  'PUT /protocols/{id}': protocol,
  'POST /protocols/questionnaires': [
    ...protocol,
    ...content,
    ...required('institutionId', 'name', 'questions/0/responseType'),
    ['questions/0/metadata/integer', 'true', 'invalid-type'],
    ['institutionId', null, 'invalid-type'],
  ],
  'PUT /protocols/{id}/questionnaire': [
    ...protocol,
    ...content,
    ...required('formId'),
    ['formId', 'x', 'invalid-format'],
    ...kept,
  ],
  'POST /protocols/questionnaires/analysis': [...content, ...kept],
  'POST /protocols/questionnaires/score': [
    ...content,
    ...kept,
    ...answers,
    ['answers/0/questionId', text(513), 'too-big'],
    ['answers/0/optionIds/0', text(513), 'too-big'],
  ],
  'POST /protocols/{id}/forms/{formId}/score': [
    ...answers,
    ['answers/0/questionId', 'x', 'invalid-format'],
    ['answers/0/optionIds/0', 'x', 'invalid-format'],
  ],
  'POST /protocols/{id}/forms/{formId}/questions': [
    ...question,
    ...required('questionText'),
    ['metadata/integer', 'true', 'invalid-type'],
  ],
  'PUT /protocols/{id}/questions/{questionId}': question,
  'POST /protocols/{id}/questions/{questionId}/options': [...option, ...required('optionText', 'score')],
  'PUT /protocols/{id}/options/{optionId}': option,
  'POST /protocols/{id}/forms/versions': [
    ['fromFormId', 'x', 'invalid-format'],
    ['fromFormId', null, 'invalid-type'],
  ],
  'POST /protocols/{id}/forms/{formId}/publish': decision,
  'POST /protocols/{id}/forms/{formId}/retire': decision,
  'POST /protocols/{id}/archive': decision,
  'POST /protocols/{id}/restore': decision,
  'POST /protocols/{id}/copies': [
    ...protocol.filter(([field]) => field === 'name'),
    ...required('institutionId'),
    ['institutionId', '123', 'invalid-format'],
    ['formId', 'x', 'invalid-format'],
  ],
  'PUT /protocols/{id}/forms/{formId}/questions/order': order(500),
  'PUT /protocols/{id}/questions/{questionId}/options/order': order(200),
};
