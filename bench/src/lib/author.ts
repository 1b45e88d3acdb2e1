// Writes the events of a protocol with the domain's own decider. The product would record the same events.
import { getById } from '../../../dist/domain/by-id.js';
import { type Circumstances, fold, type Of } from '../../../dist/domain/decider.js';
import type { Form } from '../../../dist/domain/protocol/form.js';
import { protocol } from '../../../dist/domain/protocol/protocol.js';
import type { Protocol, protocolEvents } from '../../../dist/domain/protocol/state.js';
import { newId } from './ids.js';
import { protocolBody, questionnaireBody } from './samples.js';

/** An event as the log holds it, with its payload as JSON text. */
export interface LogRow {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

type Decision = (state: Protocol, given: Circumstances) => readonly Of<typeof protocolEvents>[];

const INSTITUTION = newId();
const { decide, initialState } = protocol;

/** Writes the events of one protocol. */
export class Author {
  readonly id = newId();
  readonly #clock: () => string;
  #state: Protocol = initialState;
  #revision = -1;
  #edits = 0;

  constructor(clock: () => string) {
    this.#clock = clock;
  }

  /** The number of events so far. */
  get length(): number {
    return this.#revision + 1;
  }

  /** The id of the latest form. */
  get formId(): string {
    return this.#form().id;
  }

  /** The id of the first question of the latest form. */
  get questionId(): string {
    return this.#form().questions[0]?.id ?? '';
  }

  /** Creates a protocol without a form: one event. */
  create(institutionId: string, name: string): LogRow[] {
    const body = { ...protocolBody(institutionId), name };
    return this.#record((state, given) => decide.CreateProtocol(state, body, given));
  }

  /** Creates the protocol and its first form of 9 x 4: two events. */
  begin(): LogRow[] {
    const body = questionnaireBody(INSTITUTION);
    return this.#record((state, given) => decide.CreateQuestionnaire(state, body, given));
  }

  /** Edits a question or an option, and in every tenth call the name of the protocol. */
  edit(): LogRow[] {
    this.#edits += 1;
    const text = `Edited for the ${this.#edits}th time, and about as long as texts are`;
    const { questions } = this.#form();
    const question = questions[this.#edits % questions.length];
    const [questionId, optionId] = [question?.id ?? '', question?.options[this.#edits % 4]?.id ?? ''];
    const kinds: readonly Decision[] = [
      (state, given) => decide.ReviseQuestion(state, { questionId, questionText: text }, given),
      (state, given) => decide.ReviseOption(state, { optionId, optionText: text }, given),
    ];
    const name: Decision = (state, given) => decide.ReviseProtocol(state, { name: text }, given);
    const kind = this.#edits % 10 === 0 ? name : kinds[this.#edits % kinds.length];
    return kind === undefined ? [] : this.#record(kind);
  }

  /** Creates a new version of the form, which is a copy of the latest version. */
  newVersion(): LogRow[] {
    return this.#record((state, given) => decide.CreateFormVersion(state, {}, given));
  }

  /** Replaces the questions and score ranges of the latest form. */
  replace(): LogRow[] {
    const { questions, scoreRanges } = questionnaireBody(INSTITUTION);
    const data = { formId: this.#form().id, questions, scoreRanges };
    return this.#record((state, given) => decide.ReplaceQuestionnaire(state, data, given));
  }

  #form(): Form {
    const form =
      this.#state.status === 'active' ? getById(this.#state.forms, this.#state.latestFormId ?? '') : undefined;
    if (form === undefined) throw new Error('the protocol has no form yet');
    return form;
  }

  #record(decision: Decision): LogRow[] {
    const now = this.#clock();
    return decision(this.#state, { now, newId, actor: { id: 'anonymous', roles: [] } }).map(({ type, data }) => {
      this.#state = fold(protocol, this.#state, { type, data }, { id: this.id, at: now });
      this.#revision += 1;
      const id = newId();
      const by = { actor: { id: 'anonymous', roles: [] }, correlationId: id.replaceAll('-', ''), causationId: id };
      return {
        stream: `protocol-${this.id}`,
        revision: this.#revision,
        id,
        type,
        data: JSON.stringify(data),
        metadata: JSON.stringify({ at: now, ...by, schemaVersion: 1 }),
      };
    });
  }
}
