// What a check of the stores is.
import type { KeyObject } from 'node:crypto';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { StoreFormat } from '../infrastructure/sealing/format.js';
import type { Keyring } from '../infrastructure/sealing/keyring.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import type { Survey } from './survey.js';

/** The stores that are compared with each other. */
export interface CheckedStores {
  readonly facts: Facts;
  readonly views: Views;
  readonly vault: Vault;
}

/** The same, with what it takes to look for what the vault holds of persons. */
export interface CheckedStoresOfPersons extends CheckedStores {
  /** The facts as they are stored, personal fields sealed. */
  readonly sealedFacts: Facts;
  readonly keyring: Pick<Keyring, 'ofPersons'>;
  readonly format: Pick<StoreFormat, 'isNewer'>;
  /** Gives a key of the service's own by its name. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  /** Returns the faults of the files of facts and vault; an empty list for engines that are not embedded. */
  readonly integrity: () => Promise<readonly string[]>;
}

/** What a check came to: `said` tells it in one line, `next` what the operator should do about a fault. */
export type Result =
  | { readonly ok: true; readonly said: string }
  | { readonly ok: false; readonly said: string; readonly next: string };

/** One check. It changes nothing, may run beside the service, and rejects where a store cannot answer. */
export interface Check {
  readonly name: string;
  /** `survey` reads the log. All checks of one run share what it finds. */
  readonly run: (stores: CheckedStoresOfPersons, survey: () => Promise<Survey>) => Promise<Result>;
}
