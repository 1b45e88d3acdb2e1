// The operator's commands for the keys of the audit log, and for a new log.
import { readFile } from 'node:fs/promises';
import { auditLogCommands } from '../domain/audit-log.js';
import { rotateLogKey } from '../operations/audit-log-keys.js';
import { startNewLog } from '../operations/new-audit-log.js';
import type { AllStores } from '../stores.js';
import { logKeys } from '../transparency/keys.js';
import { operatorContext } from './operator.js';
import { UsageError } from './usage-error.js';

/** The options of `log-keys new-log`. */
export interface NewLogCommand {
  readonly reason: string;
  readonly checkpoint?: string;
}

/** Prints the verifier keys, the newest first. */
export const listLogKeys = async ({ vault }: AllStores): Promise<void> => {
  const keys = await logKeys(vault);
  if (keys.length === 0) console.log('no checkpoint was ever signed: there is no key yet');
  for (const { verifierKey, madeAt, sealed } of keys) {
    console.log(`${verifierKey}  ${madeAt}  ${sealed === null ? 'verifies' : 'signs'}`);
  }
};

/** Has a new key sign checkpoints. */
export const rotateLogKeys = async (stores: AllStores): Promise<void> => {
  await stores.format.claim();
  console.log(`${await rotateLogKey(stores, operatorContext())} signs from the next checkpoint on`);
  console.log('the key before it signs that checkpoint, too; then a worker deletes its private part');
};

/** Begins a new log. */
export const beginNewLog = async (stores: AllStores, { reason, checkpoint: file }: NewLogCommand): Promise<void> => {
  const given = auditLogCommands.StartAuditLog.shape.reason.safeParse(reason);
  if (!given.success) throw new UsageError('Pass a --reason of 1 to 500 characters, at least one of them visible.');
  const checkpoint = file === undefined ? undefined : await readFile(file, 'utf8');
  await stores.format.claim();
  const origin = await startNewLog(stores, { reason: given.data, checkpoint }, operatorContext());
  console.log(`${origin} begins: a worker signs its first checkpoint, with a new key`);
  console.log('publish the new verifier key, and tell every witness of the new log');
};
