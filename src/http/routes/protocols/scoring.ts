// The routes that score answers to a form, and that analyse a form.
import { noContent } from '../../../domain/protocol/content.js';
import { protocolCommands as commands } from '../../../domain/protocol/schemas.js';
import { readAnswers, readableEntries } from '../../../domain/scoring/entries.js';
import { Analysis, LONGEST_BODY, Score, SentAnswers } from '../../../domain/scoring/schemas.js';
import { scoreOf } from '../../../domain/scoring/score.js';
import { sentForm } from '../../../domain/scoring/sent.js';
import { approvedUsers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { get, LARGE_BODY, post, type Route } from '../../route/route.js';
import { answers, questionnaire } from './examples.js';
import { formWith } from './reads.js';

export const scoringRoutes = ({ reader, analyses }: RouteContext): readonly Route[] => [
  post('/protocols/{id}/forms/{formId}/score', {
    access: { who: approvedUsers, personal: true },
    name: 'scoreForm',
    summary: 'Scores answers to a form',
    description:
      'Records and stores nothing. Send one entry for each answered question: `optionIds` for a choice, `value` for every other type. Decimals are exact.',
    body: SentAnswers,
    faults: async ({ params: { id, formId }, readOptions }, sent) => {
      const form = await reader.read(formWith(formId), id, readOptions);
      return readAnswers(form.value, readableEntries(sent)).errors;
    },
    bodyLimit: LONGEST_BODY,
    example: answers,
    responses: { 200: Score },
    kind: 'viewCalculation',
    refuses: ['protocol-not-found', 'form-not-found'],
    handle: async ({ params: { id, formId }, body, readOptions }) => {
      const form = await reader.read(formWith(formId), id, readOptions);
      return { body: JSON.stringify(scoreOf(form.value, body.answers)) };
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
    body: commands.ReplaceQuestionnaire.pick({ questions: true, scoreRanges: true }).meta({
      id: 'QuestionnaireContent',
    }),
    example: { questions: questionnaire.questions, scoreRanges: questionnaire.scoreRanges },
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
