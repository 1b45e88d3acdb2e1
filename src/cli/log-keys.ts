// The operator's commands for the keys of the audit log, and for a new log.
import { readFile } from 'node:fs/promises';
import { auditLogCommands } from '../domain/audit-log.js';
import type { AllStores } from '../infrastructure/stores.js';
import { logKeys } from '../transparency/keys.js';
import { rotateLogKey, startNewLog } from '../transparency/log-commands.js';
import { operatorContext } from './operator.js';

export interface NewLogCommand {
  readonly reason: string;
  readonly checkpoint?: string;
}

/** Prints the verifier keys, newest first. */
export const listLogKeys = async ({ vault }: AllStores): Promise<void> => {
  const keys = await logKeys(vault);
  if (keys.length === 0) console.log('there is no key yet, because no checkpoint was ever signed');
  for (const { verifierKey, madeAt, sealed } of keys) {
    console.log(`${verifierKey}  ${madeAt}  ${sealed === null ? 'verifies' : 'signs'}`);
  }
};

export const rotateLogKeys = async (stores: AllStores): Promise<void> => {
  console.log(`${await rotateLogKey(stores, operatorContext())} signs the next checkpoint and all later ones`);
  console.log('the old key also signs the next checkpoint; after that, a worker deletes its private key');
};

export const startLog = async (stores: AllStores, { reason, checkpoint: file }: NewLogCommand): Promise<void> => {
  const given = auditLogCommands.StartAuditLog.shape.reason.safeParse(reason);
  if (!given.success) throw new Error('Pass a --reason of 1 to 500 characters, at least one of them visible.');
  const checkpoint = file === undefined ? undefined : await readFile(file, 'utf8');
  const origin = await startNewLog(stores, { reason: given.data, checkpoint }, operatorContext());
  console.log(`started ${origin}: a worker signs its first checkpoint with a new key`);
  console.log('publish the new verifier key, and inform every witness of the new log');
};
