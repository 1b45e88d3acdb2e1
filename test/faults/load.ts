// Concurrent writers that keep a journal of what they asked and what they were answered, through crashes of the server.
import { setTimeout as pause } from 'node:timers/promises';
import { createInstitution, doctor, numbered, questionnaire, select, type User } from '../http/samples.js';
import type { ClientResponse } from '../support/client.js';
import { Random } from '../support/random.js';
import type { Server } from '../support/server.js';

export type Kind = 'protocol' | 'questionnaire' | 'form version' | 'question' | 'doctor' | 'approval';

/** A write that was asked for, under a token that nothing else carries. */
export interface Asked {
  readonly kind: Kind;
  /**
   * What its events carry: the name of a protocol, the text of a question, the e-mail of a doctor; a form version and an
   * approval carry none.
   */
  readonly token: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly json: unknown;
  readonly key: string | undefined;
  /** The answer of a success; undefined as long as nothing is known of its outcome. */
  answer: ClientResponse<{ readonly id: string }> | undefined;
}

interface Target {
  readonly protocolId: string;
  readonly formId: string;
}

export interface LoadSettings {
  /** The kinds of requests. They come as often as they stand here, once there is what they are for. */
  readonly kinds?: readonly Kind[];
  /** How long a writer rests between two requests. Writers that never rest use up the machine while a test waits. */
  readonly restMs?: number;
}

const WRITERS = 8;
const REFUSED_MS = 50;

/** The writers of one test. They work from `resume` until the server dies or they are halted, and then wait to be resumed. */
export class Load {
  readonly journal: Asked[] = [];
  readonly #server: Server;
  readonly #random: Random;
  readonly #kinds: readonly Kind[];
  readonly #targets: Target[] = [];
  /** The addresses of profiles that nobody was asked to approve yet. */
  readonly #profiles: string[] = [];
  #institutionId = '';
  #working: Promise<unknown> = Promise.resolve();
  readonly #restMs: number;
  #halted = false;

  constructor(server: Server, seed: number, { kinds = KINDS, restMs = 0 }: LoadSettings = {}) {
    this.#kinds = kinds;
    this.#restMs = restMs;
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
      if (this.#restMs > 0) await pause(this.#restMs);
    }
  }

  /** Whether the server lives. */
  async #ask(asked: Asked): Promise<boolean> {
    const headers = asked.key === undefined ? {} : { 'Idempotency-Key': asked.key };
    try {
      const { method, path, json } = asked;
      const answer = await this.#server.send<{ id: string }>(method, path, { json, headers });
      if (answer.status < 300) this.#acknowledged(asked, answer);
      else if (![409, 503].includes(answer.status)) throw new Unexpected(asked, answer);
      // Writers that are refused at once would use up the machine.
      if (answer.status === 503) await pause(REFUSED_MS);
      return true;
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      return false;
    }
  }

  #acknowledged(asked: Asked, answer: ClientResponse<{ readonly id: string }>): void {
    asked.answer = answer;
    if (asked.kind === 'doctor') this.#profiles.push(...profilePaths(answer.body as User));
    if (asked.kind !== 'questionnaire') return;
    const { protocol, form } = answer.body as unknown as Record<'protocol' | 'form', { id: string }>;
    this.#targets.push({ protocolId: protocol.id, formId: form.id });
  }

  #next(): Asked {
    const random = this.#random;
    const target = random.pick(this.#targets.slice(-5));
    const kind = target === undefined ? 'questionnaire' : this.#possible(random.pick(this.#kinds));
    const token = `${kind} ${this.journal.length}`;
    // A form version carries no token, so it can be counted only where none is of unknown outcome in the end.
    const isKeyed = kind === 'form version' || random.chance(0.4);
    const key = isKeyed ? `key of ${token}` : undefined;
    return { kind, token, method: 'POST', ...this.#request(kind, token, target), key, answer: undefined };
  }

  #possible(kind: Kind = 'protocol'): Kind {
    return kind === 'approval' && this.#profiles.length === 0 ? 'doctor' : kind;
  }

  #request(
    kind: Kind,
    token: string,
    target: Target | undefined,
  ): Pick<Asked, 'path' | 'json'> & Partial<Pick<Asked, 'method' | 'token'>> {
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
      case 'doctor': {
        const email = `${token.replace(' ', '.')}@Example.org`;
        const auth = { email, password: 'correct horse battery staple' };
        return { path: '/users/doctor', json: doctor({ document: `document of ${token}`, auth }), token: email };
      }
      case 'approval':
        return { method: 'PATCH', path: `${this.#profiles.shift()}/approve`, json: { reason: token } };
      case 'protocol':
        return { path: '/protocols', json: { institutionId: this.#institutionId, name: token } };
    }
  }
}

const KINDS: readonly Kind[] = ['protocol', 'questionnaire', 'form version', 'question', 'question'];

/** The same, with users: their registrations need the vault, and some time for the password. */
export const WITH_USERS: readonly Kind[] = [...KINDS, ...KINDS, 'doctor', 'approval'];

const profilePaths = ({ id, profiles }: User) => profiles.map((profile) => `/users/${id}/profiles/${profile.id}`);

/** An answer that no load may get. */
class Unexpected extends Error {
  constructor({ path, key }: Asked, { status, body }: ClientResponse) {
    super(`${path} (${key ?? 'without a key'}) was answered with ${status}: ${JSON.stringify(body)}`);
  }
}
