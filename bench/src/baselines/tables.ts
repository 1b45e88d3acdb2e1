// Creates the tables of the CRUD baseline, and writes and reads its protocols.
import Database from 'better-sqlite3';
import { newId } from '../lib/ids.js';
import { readsOver } from './reads.js';
import type { Protocol, Questionnaire } from './schemas.js';

const SCHEMA = `
  CREATE TABLE institution (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TABLE protocol (
    id TEXT PRIMARY KEY, institution_id TEXT NOT NULL REFERENCES institution, name TEXT NOT NULL, prompt TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE form (
    id TEXT PRIMARY KEY, protocol_id TEXT NOT NULL REFERENCES protocol, version INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (protocol_id, version)
  ) STRICT;
  CREATE TABLE question (
    id TEXT PRIMARY KEY, form_id TEXT NOT NULL REFERENCES form, question_text TEXT NOT NULL,
    response_type TEXT NOT NULL, metadata TEXT NOT NULL, required INTEGER NOT NULL, weight REAL NOT NULL,
    position INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX question_form ON question (form_id, position);
  CREATE TABLE option (
    id TEXT PRIMARY KEY, question_id TEXT NOT NULL REFERENCES question, option_text TEXT NOT NULL,
    score REAL NOT NULL, position INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX option_question ON option (question_id, position);
  CREATE TABLE score_range (
    id TEXT PRIMARY KEY, form_id TEXT NOT NULL REFERENCES form, min_score REAL NOT NULL, max_score REAL NOT NULL,
    classification TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX score_range_form ON score_range (form_id);`;

/** Opens the database with empty tables. */
export const openTables = (file: string) => {
  const db = new Database(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  db.exec(SCHEMA);
  const transaction = db.transaction((work: () => unknown) => work());
  return {
    ...statementsOver(db),
    ...readsOver(db),
    /** Runs work in one transaction. The commit blocks the event loop, as in every program with one thread. */
    inTransaction: (work: () => unknown): unknown => transaction.immediate(work),
  };
};

const statementsOf = (db: Database.Database) => ({
  institution: db.prepare('INSERT OR IGNORE INTO institution VALUES (?, ?)'),
  protocol: db.prepare('INSERT INTO protocol VALUES (?, ?, ?, ?, ?, ?)'),
  form: db.prepare('INSERT INTO form VALUES (?, ?, ?, ?, ?)'),
  question: db.prepare('INSERT INTO question VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  option: db.prepare('INSERT INTO option VALUES (?, ?, ?, ?, ?, ?, ?)'),
  range: db.prepare('INSERT INTO score_range VALUES (?, ?, ?, ?, ?, ?, ?)'),
});

const statementsOver = (db: Database.Database) => {
  const statements = statementsOf(db);

  // Creates the institution with its first protocol, so that the foreign key exists.
  const insertProtocol = ({ institutionId, name, prompt }: Protocol) => {
    const [id, now] = [newId(), new Date().toISOString()];
    statements.institution.run(institutionId, 'General Hospital');
    statements.protocol.run(id, institutionId, name, prompt, now, now);
    return { id, institutionId, name, prompt, createdAt: now, updatedAt: now };
  };

  const insertOption = (option: Questionnaire['questions'][number]['options'][number], parent: string, now: string) => {
    const id = newId();
    statements.option.run(id, parent, option.optionText, option.score, option.position, now, now);
    return { id, protocolQuestionId: parent, ...option, createdAt: now, updatedAt: now };
  };

  const insertQuestion = (question: Questionnaire['questions'][number], formId: string, now: string) => {
    const id = newId();
    const { questionText, responseType, metadata, required, weight, position, options } = question;
    const fields = [questionText, responseType, JSON.stringify(metadata), Number(required), weight, position];
    statements.question.run(id, formId, ...fields, now, now);
    const inserted = options.map((option) => insertOption(option, id, now));
    return { id, protocolFormId: formId, ...question, createdAt: now, updatedAt: now, options: inserted };
  };

  const insertQuestionnaire = ({ questions, scoreRanges, ...content }: Questionnaire) => {
    const protocol = insertProtocol(content);
    const { id: protocolId, createdAt: now } = protocol;
    const formId = newId();
    statements.form.run(formId, protocolId, 1, now, now);
    const form = {
      id: formId,
      protocolId,
      version: 1,
      createdAt: now,
      updatedAt: now,
      questions: questions.map((question) => insertQuestion(question, formId, now)),
      scoreRanges: scoreRanges.map((range) => {
        const rangeId = newId();
        statements.range.run(rangeId, formId, range.minScore, range.maxScore, range.classification, now, now);
        return { id: rangeId, protocolFormId: formId, ...range, createdAt: now, updatedAt: now };
      }),
    };
    return { protocol, form };
  };

  return { insertProtocol, insertQuestionnaire };
};
