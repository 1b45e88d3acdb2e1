// The operator's commands for the keys that access tokens are signed with.
import { signingKeysOf } from '../auth/auth.js';
import type { AllStores } from '../stores.js';
import type { Commands } from './command.js';

/** Prints the ids of the keys, the one that signs first. */
const listKeys = async (stores: AllStores): Promise<void> => {
  const keys = await signingKeysOf(stores).published();
  for (const [index, { kid }] of keys.entries()) console.log(`${kid}  ${index === 0 ? 'signs' : 'verifies'}`);
};

const rotate = async (stores: AllStores): Promise<void> => {
  const { current, verifying } = await signingKeysOf(stores).rotate();
  console.log(`${current} signs from now on; running processes follow within seconds`);
  for (const kid of verifying) console.log(`${kid} verifies until the last token that it signed has expired`);
};

/** The commands on signing keys. */
export const signingKeyCommands: Commands = {
  'signing-keys list': {
    usage: 'signing-keys list',
    purpose: 'the keys of access tokens: the one that signs, and those that verify',
    run: listKeys,
  },
  'signing-keys rotate': {
    usage: 'signing-keys rotate',
    purpose: 'has a new key sign access tokens; no token that was issued is lost',
    run: rotate,
  },
};
