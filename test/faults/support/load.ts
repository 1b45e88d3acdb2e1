// Runs concurrent writers that keep a journal of their requests and responses through crashes of the server.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { createInstitution, doctor, numbered, questionnaire, select, type User } from '../../http/support/samples.js';
import type { ClientResponse } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { Random } from '../../support/random.js';
import type { Server } from '../../support/server.js';

export type Kind = 'protocol' | 'questionnaire' | 'form version' | 'question' | 'doctor' | 'approval';

/** A write, with a token that no other write has. */
export interface JournalEntry {
  readonly kind: Kind;
  /**
   * The text that identifies its event: the name of a protocol, the text of a question, the e-mail of a doctor. The
   * events of form versions and approvals have none.
   */
  readonly token: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly json: unknown;
  readonly key: string | undefined;
  /** The response of a success; undefined as long as the outcome is unknown. */
  response: ClientResponse<{ readonly id: string }> | undefined;
}

interface Target {
  readonly protocolId: string;
  readonly formId: string;
}

export interface LoadSettings {
  /** The kinds of requests, each as frequent as its entries here. A kind is used once its target exists. */
  readonly kinds?: readonly Kind[];
  /**
   * How long a writer pauses between two requests. Writers that never pause keep the machine busy while a test waits.
   */
  readonly restMs?: number;
}

const WRITERS = 8;
const PAUSE_AFTER_REFUSAL_MS = 50;

/** The writers of one test. They write from `resume` until the server dies or `halt` is called. */
export class Load {
  readonly journal: JournalEntry[] = [];
  readonly #server: Server;
  readonly #random: Random;
  readonly #kinds: readonly Kind[];
  readonly #targets: Target[] = [];
  /** The paths of profiles whose approval no writer has requested yet. */
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

  /** Returns how many requests succeeded, of all kinds or of one kind. */
  acknowledged(only?: Kind): number {
    return this.journal.filter(({ kind, response }) => response !== undefined && kind === (only ?? kind)).length;
  }

  /** Returns the requests whose outcome is unknown and that can be repeated. */
  get open(): readonly JournalEntry[] {
    return this.journal.filter(({ key, response }) => key !== undefined && response === undefined);
  }

  /** Resolves when the writers have received this many more responses of success. */
  async waitForMore(responses = 20): Promise<void> {
    const wanted = this.acknowledged() + responses;
    await eventually(() => expect(this.acknowledged()).toBeGreaterThanOrEqual(wanted));
  }

  /** Starts the writers, and repeats each open request. */
  async resume(): Promise<void> {
    this.#institutionId ||= (await createInstitution(this.#server)).id;
    this.#halted = false;
    const again = this.open.map((entry) => this.#send(entry));
    this.#working = Promise.all([...again, ...numbered(WRITERS, () => this.#write())]);
  }

  /** Stops the writers. Resolves when each has the response to its current request, or knows that the server is dead. */
  async halt(): Promise<void> {
    this.#halted = true;
    await this.#working;
  }

  /** Repeats every open request until it succeeds. */
  async settle(): Promise<void> {
    while (this.open.length > 0) await Promise.all(this.open.map((entry) => this.#send(entry)));
  }

  async #write(): Promise<void> {
    for (let continues = true; continues && !this.#halted; ) {
      const entry = this.#next();
      this.journal.push(entry);
      continues = await this.#send(entry);
      if (this.#restMs > 0) await pause(this.#restMs);
    }
  }

  /** Sends a request. Returns whether the server still runs. */
  async #send(entry: JournalEntry): Promise<boolean> {
    const headers = entry.key === undefined ? {} : { 'Idempotency-Key': entry.key };
    try {
      const { method, path, json } = entry;
      const response = await this.#server.send<{ id: string }>(method, path, { json, headers });
      if (response.status < 300) this.#acknowledged(entry, response);
      else if (![409, 503].includes(response.status)) throw new Unexpected(entry, response);
      // Without a pause, writers that are refused immediately would keep the machine busy.
      if (response.status === 503) await pause(PAUSE_AFTER_REFUSAL_MS);
      return true;
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      return false;
    }
  }

  #acknowledged(entry: JournalEntry, response: ClientResponse<{ readonly id: string }>): void {
    entry.response = response;
    if (entry.kind === 'doctor') this.#profiles.push(...profilePaths(response.body as User));
    if (entry.kind !== 'questionnaire') return;
    const { protocol, form } = response.body as unknown as Record<'protocol' | 'form', { id: string }>;
    this.#targets.push({ protocolId: protocol.id, formId: form.id });
  }

  #next(): JournalEntry {
    const random = this.#random;
    const target = random.pick(this.#targets.slice(-5));
    const kind = target === undefined ? 'questionnaire' : this.#possible(random.pick(this.#kinds));
    const token = `${kind} ${this.journal.length}`;
    // The event of a form version has no token, so versions can be counted only if every request has a known outcome.
    const isKeyed = kind === 'form version' || random.chance(0.4);
    const key = isKeyed ? `key of ${token}` : undefined;
    return { kind, token, method: 'POST', ...this.#request(kind, token, target), key, response: undefined };
  }

  #possible(kind: Kind = 'protocol'): Kind {
    return kind === 'approval' && this.#profiles.length === 0 ? 'doctor' : kind;
  }

  #request(
    kind: Kind,
    token: string,
    target: Target | undefined,
  ): Pick<JournalEntry, 'path' | 'json'> & Partial<Pick<JournalEntry, 'method' | 'token'>> {
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

/** The same kinds and those of users, whose registrations need the vault and time to hash the password. */
export const WITH_USERS: readonly Kind[] = [...KINDS, ...KINDS, 'doctor', 'approval'];

const profilePaths = ({ id, profiles }: User) => profiles.map((profile) => `/users/${id}/profiles/${profile.id}`);

/** Signals a response that a writer must never receive. */
class Unexpected extends Error {
  constructor({ path, key }: JournalEntry, { status, body }: ClientResponse) {
    super(`${path} (${key ?? 'without a key'}) got the response ${status}: ${JSON.stringify(body)}`);
  }
}
