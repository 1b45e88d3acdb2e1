// Helpers for the tests of one-time codes: an owner, stores, and an inbox for sent messages.
import { expect, onTestFinished } from 'vitest';
import type { CodeRequest, Codes, Purpose } from '../../../src/auth/codes/codes.js';
import { NOTIFICATION_QUEUE, startDeliveries } from '../../../src/auth/codes/deliveries.js';
import { Relay } from '../../../src/auth/codes/relay.js';
import { countUnsent } from '../../../src/auth/codes/unsent-codes.js';
import { VaultCodes } from '../../../src/auth/codes/vault-codes.js';
import { Refused } from '../../../src/auth/refused.js';
import type { Message, Notifier } from '../../../src/infrastructure/notifier/notifier.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import type { QueueWorker, Work } from '../../../src/infrastructure/work/work.js';
import { eventually } from '../../support/eventually.js';
import { aKey, Clock } from '../auth-harness.js';

export const MINUTE_MS = 60_000;
const QUICK = { ...NOTIFICATION_QUEUE, attempts: 3, backoffMs: 5, timeoutMs: MINUTE_MS };

/** The stores of a test, which closes both. */
export interface Stores {
  readonly vault: Vault;
  readonly work: Work;
}

export const ana = { userId: 'ana', contact: 'ana@example.org' } as const;

/** A request for a code for Ana. */
export const codeRequest: CodeRequest = {
  purpose: 'activation',
  owner: 'ana@example.org',
  to: ana,
  channel: 'EMAIL',
  language: 'pt',
  address: '192.0.2.1',
};

/** Returns the code in a message. */
export const codeIn = ({ text }: Pick<Message, 'text'>): string => /\b\d{6,8}\b/.exec(text)?.[0] ?? 'none';

/** Returns another code. */
export const wrongFor = (code: string): string => `${(Number(code) + 1) % 1_000_000}`.padStart(6, '0');

/** Collects messages instead of sending them. `during` may reject. */
export class Inbox implements Notifier {
  readonly messages: Message[] = [];
  readonly #during: (message: Message) => Promise<void>;

  constructor(during: (message: Message) => Promise<void> = async () => {}) {
    this.#during = during;
  }

  async send(message: Message): Promise<void> {
    await this.#during(message);
    this.messages.push(message);
  }
}

/** Starts a relay that moves messages to the queue until the test ends. */
export const startRelay = ({ vault, work }: Stores, clock = new Clock(), given: object = {}): Relay => {
  const quickly: Pick<Work, 'enqueue'> = { enqueue: (job) => work.enqueue({ ...job, queue: QUICK }) };
  const relay = new Relay({ vault, work: quickly, onFailure: () => {}, onLate: () => {}, now: clock.now, ...given });
  onTestFinished(() => relay.close());
  return relay;
};

/** Returns the codes of a process, with a clock that the test moves. `onUnsent` replaces the relay of the process. */
export const codesOn = (stores: Stores, clock = new Clock(), onUnsent = startRelay(stores, clock).wake) => ({
  codes: new VaultCodes({ vault: stores.vault, key: aKey('codes'), onUnsent, now: clock.now }) as Codes,
  clock,
  /** Resolves when no message waits to be queued. */
  queued: () => eventually(async () => expect(await countUnsent(stores.vault)).toBe(0)),
});

/** Starts a worker that delivers messages until the test ends. */
export const startDelivering = ({ vault, work }: Stores, notifier: Notifier, given: object = {}): QueueWorker => {
  const outbox = { removeTo: async () => {} };
  const means = { vault, work, notifier, outbox, key: aKey('codes'), onFailure: () => {}, ...given };
  const worker = startDeliveries(means, QUICK);
  onTestFinished(() => worker.close());
  return worker;
};

/** Returns the code with which a redemption is refused. Throws any other outcome. */
export const refusalOf = async (redemption: Promise<unknown>): Promise<string> => {
  const outcome: unknown = await redemption.catch((error: unknown) => error);
  if (!(outcome instanceof Refused)) throw outcome;
  return outcome.code;
};

export const ALL_PURPOSES: readonly Purpose[] = ['activation', 'phone-change', 'password-reset'];
