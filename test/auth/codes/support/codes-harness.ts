// Helpers for the tests of one-time codes: an owner, stores, and an inbox for sent messages.
import { expect, onTestFinished, vi } from 'vitest';
import { type CodeRequest, Codes } from '../../../../src/auth/codes/codes.js';
import { NOTIFICATION_QUEUE, startDeliveries } from '../../../../src/auth/codes/deliveries.js';
import type { Purpose } from '../../../../src/auth/codes/texts.js';
import { countUnqueued, type WaitingMessage } from '../../../../src/auth/codes/waiting-messages.js';
import { Refused } from '../../../../src/auth/refused.js';
import { startRelay } from '../../../../src/auth/relay.js';
import { Bell } from '../../../../src/infrastructure/bell.js';
import type { Message, Notifier } from '../../../../src/infrastructure/notifier/notifier.js';
import { SqliteVault } from '../../../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../../../src/infrastructure/vault/vault.js';
import { SqliteWork } from '../../../../src/infrastructure/work/sqlite.js';
import type { QueueWorker, Work } from '../../../../src/infrastructure/work/work.js';
import { temporaryDirectory } from '../../../support/directory.js';
import { eventually } from '../../../support/eventually.js';
import { MemoryVault } from '../../../support/memory-vault.js';
import { MemoryWork } from '../../../support/memory-work.js';
import { aKey, Clock } from '../../support/auth-harness.js';

export const MINUTE_MS = 60_000;
const QUICK = { ...NOTIFICATION_QUEUE, pausesMs: [5, 5], timeoutMs: MINUTE_MS };

/** The stores of a test, which closes both. */
export interface Stores {
  readonly vault: Vault;
  readonly work: Work;
}

/** Returns new stores in memory. The end of the test closes them. */
export const newStores = (): Stores => closedAfterTest({ vault: new MemoryVault(), work: new MemoryWork() });

/** Opens stores in a directory, which needs a build. The end of the test closes them. */
export const embeddedStores = (directory = temporaryDirectory()): Stores =>
  closedAfterTest({ vault: new SqliteVault(directory), work: new SqliteWork(directory) });

/** Returns the same stores, which the end of the test closes. */
export const closedAfterTest = <T extends Stores>(stores: T): T => {
  onTestFinished(() => stores.vault.close());
  onTestFinished(() => stores.work.close());
  return stores;
};

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

/** Returns whether the bytes contain the code on its own, in ASCII or UTF-16. Six digits may be part of any number. */
export const holdsCode = (bytes: Buffer, code: string): boolean => {
  const alone = new RegExp(`(?<![0-9A-Za-z])${code}(?![0-9A-Za-z])`);
  return alone.test(bytes.toString('latin1')) || alone.test(bytes.toString('utf16le'));
};

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

/** Starts a relay that moves messages to the queue until the test ends. Returns the function that wakes it. */
export const relayOn = ({ vault, work }: Stores, clock = new Clock(), given: object = {}): (() => void) => {
  const quickly: Pick<Work, 'enqueue'> = { enqueue: (job) => work.enqueue({ ...job, queue: QUICK }) };
  const quietly = { notify: async () => {}, log: { warn: () => {} } };
  const bell = new Bell();
  onTestFinished(startRelay({ vault, work: quickly, ...quietly, now: clock.now, ...given }, bell));
  return bell.ring;
};

/** Returns the codes of a process, with a clock that the test moves. `onUnsent` replaces the relay of the process. */
export const codesOn = (stores: Stores, clock = new Clock(), onUnsent = relayOn(stores, clock)) => ({
  codes: new Codes({ vault: stores.vault, serviceKey: aKey('codes'), onUnsent, now: clock.now }),
  clock,
  /** Resolves when no message waits to be queued. */
  queued: () => eventually(async () => expect(await countUnqueued(stores.vault)).toBe(0)),
});

/** Returns the waiting messages. */
export const messagesIn = (vault: Vault) => vault.ofKind<WaitingMessage>('message', undefined, 1_000);

/** Starts a worker that delivers messages until the test ends. */
export const startDelivering = ({ vault, work }: Stores, notifier: Notifier, given: object = {}): QueueWorker => {
  const outbox = { removeTo: async () => {} };
  const means = { vault, work, notifier, outbox, serviceKey: aKey('codes'), log: { warn: () => {} }, ...given };
  const worker = startDeliveries(means, QUICK);
  onTestFinished(() => worker.close());
  return worker;
};

/** Expects that a request or a redemption is refused. */
export const expectRefused = async (outcome: Promise<unknown>, code = 'code-refused'): Promise<void> => {
  const error: unknown = await outcome.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refused);
  expect(error).toMatchObject({ code });
};

export const ALL_PURPOSES: readonly Purpose[] = ['activation', 'phone-change', 'password-reset'];

/** Returns the codes of a process, and what concerns the codes of the owner of `codeRequest`. */
export const codeFixture = (stores: Stores, clock = new Clock(), onUnsent = relayOn(stores, clock)) => {
  const { codes, queued } = codesOn(stores, clock, onUnsent);
  const inbox = new Inbox();
  const settled = async (): Promise<readonly Message[]> => {
    await queued();
    await eventually(async () => expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(0));
    return inbox.messages;
  };
  return {
    ...{ codes, clock, queued, stores, inbox },
    /** Starts a worker that puts the messages into the inbox. */
    deliver: (given: object = {}) => startDelivering(stores, inbox, { now: clock.now, ...given }),
    /** Waits for this number of messages, and until they are recorded as sent. Returns the code in the last one. */
    received: async (count: number): Promise<string> => {
      await eventually(() => expect(inbox.messages).toHaveLength(count));
      await settled();
      return codeIn(inbox.messages.at(-1) ?? { text: '' });
    },
    /** Waits until all jobs are done, whether or not they sent anything. Returns the messages in the inbox. */
    settled,
    deadLetters: () => stores.work.deadLetters(NOTIFICATION_QUEUE),
    /** Returns whether a code can be redeemed, and leaves it valid. */
    mayRedeem: async (code: string, purpose: Purpose): Promise<boolean> => {
      const accept = vi.fn(() => Promise.reject(new Refused('code-refused')));
      await expectRefused(codes.redeem(codeRequest.owner, code, [purpose], { accept }));
      return accept.mock.calls.length > 0;
    },
    redeem: (code: string, purposes = ALL_PURPOSES, given: Parameters<Codes['redeem']>[3] = {}) =>
      codes.redeem(codeRequest.owner, code, purposes, given),
  };
};

/** Returns the codes of a process whose messages a worker delivers. */
export const deliveringCodes = (stores: Stores = newStores()) => {
  const fixture = codeFixture(stores);
  fixture.deliver();
  return fixture;
};
