// A check of the stores.
import type { AllStores } from '../infrastructure/stores.js';

/** The stores that checks compare. */
export type CheckedStores = Pick<
  AllStores,
  'facts' | 'sealedFacts' | 'vault' | 'keyring' | 'format' | 'serviceKey' | 'integrity'
> & { readonly views: Pick<AllStores['views'], 'checkpoints'> };

/** The result of a check: `summary` is one line, `next` is what the operator should do about a fault. */
export type Result =
  | { readonly ok: true; readonly summary: string }
  | { readonly ok: false; readonly summary: string; readonly next: string };

/** A check. It changes nothing, may run beside the service, and rejects if a store is unavailable. */
export type Check = (stores: CheckedStores) => Promise<Result>;
