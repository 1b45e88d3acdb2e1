// Reads protocols and forms from the tables of the CRUD baseline.
import type Database from 'better-sqlite3';

interface Item {
  readonly id: string;
}

interface QuestionRow extends Item {
  readonly metadata: string;
  readonly required: number;
}

interface OptionRow extends Item {
  readonly protocolQuestionId: string;
}

const TIMES = 'created_at AS createdAt, updated_at AS updatedAt';
const PROTOCOL = `SELECT id, institution_id AS institutionId, name, prompt, ${TIMES} FROM protocol`;

const statementsOf = (db: Database.Database) => ({
  protocol: db.prepare<[string], Item>(`${PROTOCOL} WHERE id = ?`),
  page: db.prepare<[string, number], Item>(`${PROTOCOL} WHERE id > ? ORDER BY id LIMIT ?`),
  form: db.prepare<[string, string], Item>(
    `SELECT id, protocol_id AS protocolId, version, ${TIMES} FROM form WHERE id = ? AND protocol_id = ?`,
  ),
  questions: db.prepare<[string], QuestionRow>(`
    SELECT id, form_id AS protocolFormId, question_text AS questionText, response_type AS responseType, metadata,
      required, weight, position, ${TIMES}
    FROM question WHERE form_id = ? ORDER BY position`),
  options: db.prepare<[string], OptionRow>(`
    SELECT option.id, question_id AS protocolQuestionId, option_text AS optionText, score, option.position,
      option.created_at AS createdAt, option.updated_at AS updatedAt
    FROM option JOIN question ON question.id = question_id WHERE form_id = ? ORDER BY option.position`),
  ranges: db.prepare<[string], Item>(`
    SELECT id, form_id AS protocolFormId, min_score AS minScore, max_score AS maxScore, classification, ${TIMES}
    FROM score_range WHERE form_id = ? ORDER BY min_score`),
});

/** Returns the functions that read from the database. */
export const readsOver = (db: Database.Database) => {
  const statements = statementsOf(db);
  return {
    findProtocol: (id: string) => statements.protocol.get(id),

    listProtocols: (limit: number, cursor: string) => {
      const items = statements.page.all(cursor, limit);
      return { items, nextCursor: items.length < limit ? null : (items.at(-1)?.id ?? null) };
    },

    findForm: (protocolId: string, formId: string) => {
      const form = statements.form.get(formId, protocolId);
      if (form === undefined) return undefined;
      const options = Map.groupBy(statements.options.all(formId), ({ protocolQuestionId }) => protocolQuestionId);
      const questions = statements.questions.all(formId).map((question) => ({
        ...question,
        metadata: JSON.parse(question.metadata) as unknown,
        required: question.required === 1,
        options: options.get(question.id) ?? [],
      }));
      return { ...form, questions, scoreRanges: statements.ranges.all(formId) };
    },
  };
};
