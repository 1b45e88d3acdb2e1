// The routes that score answers to a form, and that analyse a form.
import { noContent } from '../../../domain/protocol/content.js';
import { protocolCommands as commands } from '../../../domain/protocol/schemas.js';
import { scorable } from '../../../domain/scoring/answers.js';
import { readAnswers, readableEntries } from '../../../domain/scoring/entries.js';
import {
  Analysis,
  LONGEST_BODY,
  NamedAnswers,
  NamedScore,
  Score,
  SentAnswers,
} from '../../../domain/scoring/schemas.js';
import { scoreOf } from '../../../domain/scoring/score.js';
import { sentForm } from '../../../domain/scoring/sent.js';
import { approvedUsers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { get, LARGE_BODY, post, type Route } from '../../route/route.js';
import { answers, questionnaire } from './examples.js';
import { type KeptForms, keptForms } from './kept-forms.js';
import { formWith } from './reads.js';

const Content = commands.ReplaceQuestionnaire.pick({ questions: true, scoreRanges: true });
const content = { questions: questionnaire.questions, scoreRanges: questionnaire.scoreRanges };

export const scoringRoutes = (
  { reader, analyses }: RouteContext,
  scoredForm: KeptForms = keptForms(),
): readonly Route[] => [
  post('/protocols/{id}/forms/{formId}/score', {
    access: { who: approvedUsers, personal: true },
    name: 'scoreForm',
    summary: 'Scores answers to a form',
    description:
      'Records and stores nothing. There is no classification until all required questions, and one that counts if there is any, are answered. Send one entry for each answered question: `optionIds` for a choice, `value` for every other type. Decimals are exact.',
    body: SentAnswers,
    faults: async ({ params: { id, formId }, readOptions }, sent) => {
      const { value } = await reader.read(scoredForm(formId), id, readOptions);
      return readAnswers(scorable(value.form), readableEntries(sent)).errors;
    },
    bodyLimit: LONGEST_BODY,
    example: answers,
    responses: { 200: Score },
    kind: 'viewCalculation',
    refuses: ['protocol-not-found', 'form-not-found'],
    handle: async ({ params: { id, formId }, body, readOptions }) => {
      const { form, ...shown } = (await reader.read(scoredForm(formId), id, readOptions)).value;
      return { body: JSON.stringify({ ...shown, ...scoreOf(scorable(form), body.answers) }) };
    },
  }),
  post('/protocols/questionnaires/score', {
    access: { who: approvedUsers, personal: true },
    name: 'scoreQuestionnaire',
    summary: 'Scores answers to a questionnaire, and stores neither',
    description:
      'Send a questionnaire as for its analysis, and answers as for a form. An item without an id is named by its JSON pointer.',
    body: Content.extend({ answers: NamedAnswers }),
    faults: async (_, sent) => {
      const { data } = Content.safeParse(sent);
      return data ? readAnswers(scorable(sentForm(data, noContent)), readableEntries(sent)).errors : [];
    },
    bodyLimit: LARGE_BODY,
    example: { ...content, answers: [{ questionId: '/questions/0', optionIds: ['/questions/0/options/1'] }] },
    responses: { 200: NamedScore },
    kind: 'calculation',
    handle: async ({ body }) => {
      const score = scoreOf(scorable(sentForm(body, noContent)), body.answers);
      return { body: JSON.stringify({ version: null, status: null, ...score }) };
    },
  }),
  get('/protocols/{id}/forms/{formId}/analysis', {
    access: { who: approvedUsers, personal: false },
    name: 'analyseForm',
    summary: 'Analyses the totals that a form can reach, and what is wrong with it',
    responses: { 200: Analysis },
    travelsInTime: true,
    refuses: ['protocol-not-found', 'form-not-found', 'analysis-busy'],
    handle: async ({ params: { id, formId }, readOptions, caller, gone }) => {
      const { value: form, revision } = await reader.read(formWith(formId), id, readOptions);
      const analysis = await analyses.of(form, caller, gone);
      return { body: JSON.stringify({ formId, revision, ...analysis }), revision };
    },
  }),
  post('/protocols/questionnaires/analysis', {
    access: { who: approvedUsers, personal: false },
    name: 'analyseQuestionnaire',
    summary: 'Analyses a questionnaire without storing it',
    description:
      'Send the body with which the questionnaire would be created or replaced. References in it are not checked. An item without an id is named by its JSON pointer.',
    body: Content.meta({ id: 'QuestionnaireContent' }),
    example: content,
    responses: { 200: Analysis },
    kind: 'calculation',
    bodyLimit: LARGE_BODY,
    enter: ({ caller }) => analyses.enter(caller),
    refuses: ['analysis-busy'],
    handle: async ({ body, caller, gone }) => {
      const analysis = await analyses.of(sentForm(body, noContent), caller, gone);
      return { body: JSON.stringify({ formId: null, revision: null, ...analysis }) };
    },
  }),
];
