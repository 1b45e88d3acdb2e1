// `npm run cli -- audit prove`: compares the log with the signed log.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AllStores } from '../infrastructure/stores.js';
import { compared } from '../operations/verify.js';
import { prove } from '../transparency/prove.js';
import type { NamedCheckpoint } from '../transparency/signed-trees.js';

/**
 * Prints the faults of the log, and then the verdict. Rejects if there is a fault. `checkpoint`: files with a checkpoint
 * each, or directories of such files.
 */
export const proveLog = async (
  stores: AllStores,
  { checkpoint = [] }: { readonly checkpoint?: readonly string[] },
): Promise<void> => {
  const proof = await prove(stores, { copies: checkpoint.flatMap(checkpointsAt), integrity: stores.integrity });
  for (const fault of proof.faults) console.log(`FAULT: ${fault}`);
  if (proof.faults.length > 0) throw new Error('NOT OK: the log differs from the signed log, or its files are damaged');
  console.log(`OK: ${compared(proof)}`);
};

const SUFFIX = '.checkpoint';

const checkpointsAt = (path: string): readonly NamedCheckpoint[] => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`${path} does not exist; pass a file with a checkpoint, or a directory`);
  if (!stats.isDirectory()) return [named(path)];
  const files = readdirSync(path).filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
  if (files.length === 0) throw new Error(`${path} has no file whose name ends with ${SUFFIX}`);
  return files.toSorted().map((name) => named(join(path, name)));
};

const named = (path: string): NamedCheckpoint => ({ name: path, note: readFileSync(path, 'utf8') });
