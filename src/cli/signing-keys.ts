// The operator's commands for the keys that sign access tokens.
import { SigningKeys } from '../auth/tokens/signing-keys.js';
import type { AllStores } from '../infrastructure/stores.js';

/** Prints the ids of the keys, starting with the key that signs. */
export const listSigningKeys = async (stores: AllStores): Promise<void> => {
  const keys = await keysOf(stores).published({ create: false });
  if (keys.length === 0) console.log('there is no key yet, because no access token was ever signed');
  for (const [index, { kid }] of keys.entries()) console.log(`${kid}  ${index === 0 ? 'signs' : 'verifies'}`);
};

export const rotateSigningKeys = async (stores: AllStores): Promise<void> => {
  const { current, verifying } = await keysOf(stores).rotate();
  console.log(`${current} now signs access tokens; running processes follow within seconds`);
  for (const kid of verifying) console.log(`${kid} verifies until the last token that it signed has expired`);
};

export const revokeSigningKey = async (stores: AllStores, kid: string): Promise<void> => {
  if (!(await keysOf(stores).revoke(kid))) {
    throw new Error(`Signing key ${kid} does not exist. "signing-keys list" shows the keys.`);
  }
  console.log(
    `${kid} is revoked; running processes follow within 5 seconds, and users with its tokens must sign in again`,
  );
};

const keysOf = ({ vault, serviceKey }: AllStores) => new SigningKeys(vault, serviceKey);
