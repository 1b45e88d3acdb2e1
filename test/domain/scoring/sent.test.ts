import { describe, expect, it } from 'vitest';
import { noContent } from '../../../src/domain/protocol/content.js';
import { formCommands } from '../../../src/domain/protocol/schemas.js';
import { sentForm } from '../../../src/domain/scoring/sent.js';
import { FORM_ID, optionId, question, questionId, rangeId, type SentReplacement } from '../support/protocol-samples.js';

const formOf = (sent: Pick<SentReplacement, 'questions' | 'scoreRanges'>, before = noContent) =>
  sentForm(formCommands.ReplaceQuestionnaire.parse({ formId: FORM_ID, ...sent }), before);
const option = (place: object) => ({ optionText: 'Yes', score: 1, ...place });

describe('the form that a request would make', () => {
  it('is in the order of its positions, and names an item without an id by its JSON pointer', () => {
    const select = { questionText: 'Pain?', responseType: 'SELECT' } as const;
    const form = formOf({
      questions: [
        { ...select, position: 3, options: [option({ position: 2 }), option({ position: 1 })] },
        { ...select, options: [option({}), option({ id: optionId(1) })] },
        { ...select, id: questionId(1), position: 1 },
      ],
      scoreRanges: [
        { id: rangeId(1), minScore: 2, maxScore: 3, classification: 'high' },
        { minScore: 0, maxScore: 1, classification: 'low' },
      ],
    });
    expect(form.questions.map(({ id, options }) => [id, ...options.map((each) => each.id)])).toEqual([
      [questionId(1)],
      ['/questions/1', '/questions/1/options/0', optionId(1)],
      ['/questions/0', '/questions/0/options/1', '/questions/0/options/0'],
    ]);
    expect(form.scoreRanges).toEqual([
      { id: '/scoreRanges/1', minScore: 0, maxScore: 1, classification: 'low' },
      { id: rangeId(1), minScore: 2, maxScore: 3, classification: 'high' },
    ]);
  });

  it('is refused if a question does not fit the type that the service infers', () => {
    const questions = [{ questionText: 'When?', metadata: { minValue: '2020-02-29' } }];
    const error = expect.objectContaining({ path: ['questions', 0, 'metadata', 'minValue'], code: 'invalid-type' });
    expect(() => formOf({ questions, scoreRanges: [] })).toThrow(
      expect.objectContaining({ code: 'fields-refused', details: { errors: [error] } }),
    );
  });

  it('keeps the ids and the response types of the content that it replaces', () => {
    const before = { ...noContent, questions: [question(1, { responseType: 'DATE' })] };
    const form = formOf({ questions: [{ id: questionId(1), questionText: 'When?' }], scoreRanges: [] }, before);
    expect(form.questions).toMatchObject([{ id: questionId(1), responseType: 'DATE' }]);
  });
});
