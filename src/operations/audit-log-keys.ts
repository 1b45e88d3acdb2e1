// Rotates the key that signs the checkpoints of the audit log.
import type { CommandContext } from '../commands/context.js';
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { unguarded } from '../commands/uniqueness.js';
import { AUDIT_LOG_ID, auditLog } from '../domain/audit-log.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { addKey, keysOf, type LogKeyStores, newLogKey } from '../transparency/keys.js';
import { LogRecords } from '../transparency/records.js';

/** The stores of the audit log's keys and records. */
export interface AuditLogStores extends LogKeyStores {
  readonly facts: Facts;
}

/** Signals that a command on the audit log is rejected. */
export class AuditLogRefusal extends Error {
  override readonly name = 'AuditLogRefusal';
}

/**
 * Makes a new key sign the audit log. The rotation is recorded before the key is stored, so that no key signs without a
 * record. If a rotation is cut off, its record names a key that never signs. Returns the new verifier key. Rejects with
 * `AuditLogRefusal` if the log has no key yet.
 */
export const rotateLogKey = async (stores: AuditLogStores, context: CommandContext): Promise<string> => {
  const { facts, vault } = stores;
  const origin = (await new LogRecords(vault).state())?.value.origin;
  const [previous] = origin === undefined ? [] : await keysOf(vault, origin);
  if (origin === undefined || previous === undefined) {
    throw new AuditLogRefusal(
      'The audit log has no key yet. A worker creates the key when it signs for the first time.',
    );
  }
  const made = await newLogKey(stores, origin, previous.signed);
  const data = { origin, previousKey: previous.verifierKey, key: made.verifierKey };
  const handle = commandHandler(new Streams(facts), unguarded);
  await handle(auditLog, AUDIT_LOG_ID, { type: 'RotateAuditLogKey', data }, context);
  await addKey(vault, made);
  return made.verifierKey;
};
