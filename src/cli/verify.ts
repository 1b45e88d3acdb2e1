// `npm run cli -- verify`: prints the result of each check, and what to do about each fault.

import type { CheckedStores, CheckedStoresOfPersons } from '../operations/check.js';
import { verify } from '../operations/verify.js';
import { resetWatermark } from '../operations/watermark.js';

/** The options of the command. */
export interface VerifyOptions {
  readonly accept?: boolean;
}

/** Prints the result of each check. Rejects if a check found a fault. */
export const verifyStores = async (stores: CheckedStoresOfPersons, options: VerifyOptions): Promise<void> => {
  if (options.accept) await accept(stores);
  const faulty: string[] = [];
  for await (const result of verify(stores)) {
    console.log(`${result.check.padEnd(9)} ${result.ok ? 'ok' : 'FAULT'}: ${result.summary}`);
    if (result.ok) continue;
    faulty.push(result.check);
    console.log(`${' '.repeat(10)}do: ${result.next}`);
  }
  if (faulty.length > 0) throw new Error(`verify found a fault in: ${faulty.join(', ')}`);
};

const accept = async (stores: CheckedStores): Promise<void> => {
  await resetWatermark(stores);
  console.log('the vault now accepts the facts as they are');
};
