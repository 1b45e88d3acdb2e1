// `npm run cli -- verify`: a line for each check, and what to do about each that found something.
import { resetWatermark } from '../commands/watermark.js';
import type { CheckedStores, CheckedStoresOfPersons } from '../operations/check.js';
import { verify } from '../operations/verify.js';
import type { Commands } from './command.js';

/** Prints what each check came to. Rejects where one found something. */
const verifyStores = async (stores: CheckedStoresOfPersons, option?: string): Promise<void> => {
  if (option === '--accept') await accept(stores);
  else if (option !== undefined) throw new Error(`verify knows --accept, not ${option}`);
  const faulty: string[] = [];
  for await (const result of verify(stores)) {
    console.log(`${result.check.padEnd(8)} ${result.ok ? 'ok' : 'FAULT'}: ${result.said}`);
    if (result.ok) continue;
    faulty.push(result.check);
    console.log(`${' '.repeat(9)}do: ${result.next}`);
  }
  if (faulty.length > 0) throw new Error(`verify found a fault in: ${faulty.join(', ')}`);
};

const accept = async (stores: CheckedStores): Promise<void> => {
  await resetWatermark(stores);
  console.log('the vault takes the facts as they are from now on');
};

/** The command that checks the stores against each other. */
export const verifyCommands: Commands = {
  verify: {
    usage: 'verify [--accept]',
    purpose: 'finds stores that are not of one moment, or damaged',
    run: verifyStores,
  },
};
