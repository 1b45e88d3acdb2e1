// A check of the stores.
import type { KeyObject } from 'node:crypto';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { Keyring } from '../infrastructure/sealing/keyring.js';
import type { StoreFormat } from '../infrastructure/vault/store-format.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import type { Survey } from './survey.js';

/** The stores that checks compare. */
export interface CheckedStores {
  readonly facts: Facts;
  readonly views: Pick<Views, 'checkpoints'>;
  readonly vault: Vault;
}

/** The stores, with access to the keys of persons. */
export interface CheckedStoresOfPersons extends CheckedStores {
  /** The facts as they are stored, personal fields sealed. */
  readonly sealedFacts: Facts;
  readonly keyring: Pick<Keyring, 'ofPersons'>;
  readonly format: Pick<StoreFormat, 'isNewer'>;
  /** Returns a service key by name. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  /** Returns the faults of the files of facts and vault; an empty list for engines that are not embedded. */
  readonly integrity: () => Promise<readonly string[]>;
}

/** The result of a check: `summary` is one line, `next` is what the operator should do about a fault. */
export type Result =
  | { readonly ok: true; readonly summary: string }
  | { readonly ok: false; readonly summary: string; readonly next: string };

/** A check. It changes nothing, may run beside the service, and rejects if a store is unavailable. */
export interface Check {
  readonly name: string;
  /** Runs the check. `survey` reads the log; all checks of a run share its result. */
  readonly run: (stores: CheckedStoresOfPersons, survey: () => Promise<Survey>) => Promise<Result>;
}
