// The operator's commands for the keys that access tokens are signed with.
import { signingKeysOf } from '../auth/auth.js';
import type { AllStores } from '../stores.js';
import { UsageError } from './usage-error.js';

/** Prints the ids of the keys, the one that signs first. */
export const listSigningKeys = async (stores: AllStores): Promise<void> => {
  const keys = await signingKeysOf(stores).listed();
  if (keys.length === 0) console.log('no access token was ever signed: there is no key yet');
  for (const [index, { kid }] of keys.entries()) console.log(`${kid}  ${index === 0 ? 'signs' : 'verifies'}`);
};

/** Has a new key sign. */
export const rotateSigningKeys = async (stores: AllStores): Promise<void> => {
  const { current, verifying } = await signingKeysOf(stores).rotate();
  console.log(`${current} signs from now on; running processes follow within seconds`);
  for (const kid of verifying) console.log(`${kid} verifies until the last token that it signed has expired`);
};

/** Makes a key verify nothing any more. */
export const revokeSigningKey = async (stores: AllStores, kid: string): Promise<void> => {
  if (!(await signingKeysOf(stores).revoke(kid))) {
    throw new UsageError(`There is no signing key ${kid}. "signing-keys list" shows the keys.`);
  }
  console.log(
    `${kid} verifies nothing any more; running processes follow within 5 seconds, and its bearers sign in again`,
  );
};
