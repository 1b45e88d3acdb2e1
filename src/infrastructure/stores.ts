// The stores of a process, which the composition opens (src/stores.ts).
import type { KeyObject } from 'node:crypto';
import type { Facts } from './facts/facts.js';
import type { Keyring } from './keys/keyring.js';
import type { Notifier, Outbox } from './notifier/notifier.js';
import type { RefusedWrites } from './refused-writes.js';
import type { PersonKeys } from './sealed/sealed-text.js';
import type { StoreFormat } from './vault/store-format.js';
import type { Vault } from './vault/vault.js';
import type { Views } from './views/views.js';
import type { QueueBoard } from './work/bullmq.js';
import type { Queue, Work } from './work/work.js';

/** All stores, and the functions that need several of them. A part of the service takes the members that it uses. */
export interface AllStores {
  readonly facts: Facts;
  /** The facts as they are stored, personal fields sealed; closed with `facts`. */
  readonly sealedFacts: Facts;
  readonly views: Views;
  readonly vault: Vault;
  readonly refusedWrites: RefusedWrites;
  /**
   * Returns the faults of the files of facts and vault; an empty list for engines that are not embedded. Blocks the
   * thread meanwhile.
   */
  readonly integrity: () => Promise<readonly string[]>;
  readonly keyring: Keyring;
  readonly format: StoreFormat;
  /** Rejects with `UnknownFormat`, or as `judge` does, unless this program may read the stores. */
  readonly admit: () => Promise<unknown>;
  /**
   * Stamps the stores with the id of the log's first event, and returns it; undefined while the log is empty. Rejects with
   * `StoresApart`, before it writes, if log and vault do not belong together. Reads nothing once it knows the id.
   */
  readonly judge: () => Promise<string | undefined>;
  /** Returns why log and vault do not belong together; undefined if they do. */
  readonly contradiction: () => Promise<string | undefined>;
  readonly work: Work;
  readonly outbox: Notifier & Outbox;
  /** Returns a service key by name. The key is the same in every process. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  /** Removes everything that the vault holds about a person, including the person's key. */
  readonly eraseSecrets: (person: string) => Promise<number>;
  /** Notes that a user is being erased, for restores of older backups. */
  readonly noteErasure: (userId: string) => Promise<void>;
  /** Returns the current keys of persons from the vault, not from the cache of this process. */
  readonly personKeys: PersonKeys;
  /** Returns the board of these queues; undefined if their engine has none. */
  readonly board: ((queues: readonly Queue[]) => QueueBoard) | undefined;
  readonly close: () => Promise<void>;
}

/** Facts and vault, with what needs no other store, and the checkpoints of the read models. */
export type LastingStores = Omit<AllStores, 'views' | 'work' | 'board' | 'outbox' | 'eraseSecrets' | 'noteErasure'> & {
  readonly views: Pick<Views, 'checkpoints'>;
};
