// The operator's commands for the keys in the vault and the master keys that wrap them.
import type { AllStores } from '../infrastructure/stores.js';
import { counted } from '../infrastructure/tally.js';

export const listKeys = async ({ keyring }: AllStores): Promise<void> => {
  const { current, counts } = await keyring.counts();
  console.log(`master keys: ${keyring.origin}`);
  for (const [id, count] of counts) console.log(`${id}  ${counted(count, 'key')}${id === current ? '  current' : ''}`);
};

/**
 * Wraps every key in the vault with the current master key, or with a new one if the master keys are in a file. Prints
 * the keys that could not be opened, and rejects if there are any.
 */
export const rotateMasterKey = async ({ keyring }: AllStores): Promise<void> => {
  const { current, rewrapped, left } = await keyring.rotate();
  console.log(`${counted(rewrapped, 'key')} rewrapped with the master key ${current} of ${keyring.origin}`);
  if (rewrapped > 0) console.log('earlier backups still need the earlier master key: keep it, and make a new backup');
  for (const { kind, key, reason } of left) console.log(`${kind} ${key} is unchanged: ${reason}`);
  if (left.length > 0)
    throw new Error(`${counted(left.length, 'key')} could not be opened; add the missing master keys and try again`);
};
