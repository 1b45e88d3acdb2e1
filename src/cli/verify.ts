// `npm run cli -- verify`: prints the result of each check, and what to do about each fault.

import { TOOL } from '../infrastructure/tool.js';
import { type VerifiedStores, verify } from '../operations/verify.js';

/** Prints the result of each check. Rejects if a check found a fault. */
export const verifyStores = async (
  stores: VerifiedStores,
  { accept }: { readonly accept?: boolean },
): Promise<void> => {
  if (accept)
    throw new Error(`--accept is gone: begin a new audit log with \`${TOOL} log-keys new-log --reason "…"\`.`);
  const faulty: string[] = [];
  for await (const result of verify(stores)) {
    console.log(`${result.check.padEnd(9)} ${result.ok ? 'ok' : 'FAULT'}: ${result.summary}`);
    if (result.ok) continue;
    faulty.push(result.check);
    console.log(`${' '.repeat(10)}do: ${result.next}`);
  }
  if (faulty.length > 0) throw new Error(`verify found a fault in: ${faulty.join(', ')}`);
};
