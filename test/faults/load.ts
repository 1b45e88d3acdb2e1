// Concurrent writers that keep a journal of what they asked and what they were answered, through crashes of the server.
import { createInstitution, numbered, questionnaire, select } from '../http/samples.js';
import type { Answer } from '../support/client.js';
import { Random } from '../support/random.js';
import type { Server } from '../support/server.js';

export type Kind = 'protocol' | 'questionnaire' | 'form version' | 'question';

/** A write that was asked for, under a token that nothing else carries. */
export interface Asked {
  readonly kind: Kind;
  /** What its events carry: the name of a protocol, the text of a question; a form version carries none. */
  readonly token: string;
  readonly path: string;
  readonly json: unknown;
  readonly key: string | undefined;
  /** The answer of a success; undefined as long as nothing is known of its outcome. */
  answer: Answer<{ readonly id: string }> | undefined;
}

interface Target {
  readonly protocolId: string;
  readonly formId: string;
}

const WRITERS = 8;

/** The writers of one test. They work from `resume` until the server dies or they are halted, and then wait to be resumed. */
export class Load {
  readonly journal: Asked[] = [];
  readonly #server: Server;
  readonly #random: Random;
  readonly #targets: Target[] = [];
  #institutionId = '';
  #working: Promise<unknown> = Promise.resolve();
  #halted = false;

  constructor(server: Server, seed: number) {
    this.#server = server;
    this.#random = new Random(seed);
  }

  get answered(): number {
    return this.journal.filter(({ answer }) => answer !== undefined).length;
  }

  /** Those of which nothing is known and that may be asked again. */
  get open(): readonly Asked[] {
    return this.journal.filter(({ key, answer }) => key !== undefined && answer === undefined);
  }

  /** Starts the writers, and one more for each open request, which asks it again. */
  async resume(): Promise<void> {
    this.#institutionId ||= (await createInstitution(this.#server)).id;
    this.#halted = false;
    const again = this.open.map((asked) => this.#ask(asked));
    this.#working = Promise.all([...again, ...numbered(WRITERS, () => this.#write())]);
  }

  /** Has the writers end, each with the answer to the request that it has under way. */
  async halt(): Promise<void> {
    this.#halted = true;
    await this.#working;
  }

  /** Resolves when no writer has a request under way, which is once the server is dead. */
  async stopped(): Promise<void> {
    await this.#working;
  }

  /** Asks every open request again until it is answered. */
  async settle(): Promise<void> {
    while (this.open.length > 0) await Promise.all(this.open.map((asked) => this.#ask(asked)));
  }

  async #write(): Promise<void> {
    for (let goesOn = true; goesOn && !this.#halted; ) {
      const asked = this.#next();
      this.journal.push(asked);
      goesOn = await this.#ask(asked);
    }
  }

  /** Whether the server lives. */
  async #ask(asked: Asked): Promise<boolean> {
    const headers = asked.key === undefined ? {} : { 'Idempotency-Key': asked.key };
    try {
      const answer = await this.#server.post<{ id: string }>(asked.path, asked.json, headers);
      if (answer.status === 201) this.#acknowledged(asked, answer);
      else if (![409, 503].includes(answer.status)) throw new Unexpected(asked, answer);
      return true;
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      return false;
    }
  }

  #acknowledged(asked: Asked, answer: Answer<{ readonly id: string }>): void {
    asked.answer = answer;
    if (asked.kind !== 'questionnaire') return;
    const { protocol, form } = answer.body as unknown as Record<'protocol' | 'form', { id: string }>;
    this.#targets.push({ protocolId: protocol.id, formId: form.id });
  }

  #next(): Asked {
    const random = this.#random;
    const target = random.pick(this.#targets.slice(-5));
    const kind = target === undefined ? 'questionnaire' : random.pick(KINDS);
    const token = `${kind} ${this.journal.length}`;
    // A form version carries no token, so it can be counted only where none is of unknown outcome in the end.
    const isKeyed = kind === 'form version' || random.chance(0.4);
    const key = isKeyed ? `key of ${token}` : undefined;
    return { kind: kind ?? 'protocol', token, ...this.#request(kind, token, target), key, answer: undefined };
  }

  #request(kind: Kind | undefined, token: string, target: Target | undefined): Pick<Asked, 'path' | 'json'> {
    const { protocolId = '', formId = '' } = target ?? {};
    switch (kind) {
      case 'questionnaire': {
        const questions = numbered(this.#random.integer(1, 12), (n) => select(n, 3));
        const json = questionnaire(this.#institutionId, { name: token, questions });
        return { path: '/protocols/questionnaires', json };
      }
      case 'form version':
        return { path: `/protocols/${protocolId}/forms/versions`, json: undefined };
      case 'question': {
        const json = { questionText: token, metadata: { maxLength: 9 } };
        return { path: `/protocols/${protocolId}/forms/${formId}/questions`, json };
      }
      default:
        return { path: '/protocols', json: { institutionId: this.#institutionId, name: token } };
    }
  }
}

const KINDS: readonly Kind[] = ['protocol', 'questionnaire', 'form version', 'question', 'question'];

/** An answer that no load may get. */
class Unexpected extends Error {
  constructor({ path, key }: Asked, { status, body }: Answer) {
    super(`${path} (${key ?? 'without a key'}) was answered with ${status}: ${JSON.stringify(body)}`);
  }
}
