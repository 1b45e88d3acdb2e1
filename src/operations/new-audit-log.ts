// Begins a new audit log after a lawful restore, and holds the signing until then: a restored vault does not know what was
// signed after the backup, and two trees of one size must never be signed for one log.
import type { CommandContext } from '../commands/context.js';
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { unguarded } from '../commands/uniqueness.js';
import { AUDIT_LOG_ID, type AuditLog, auditLog } from '../domain/audit-log.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { keysOf, retireKeys } from '../transparency/keys.js';
import { laterOrigin } from '../transparency/origin.js';
import { cosignedNote, LogRecords, type LogState, newState } from '../transparency/records.js';
import { verifiedTree } from '../transparency/signing.js';
import { AuditLogRefusal, type AuditLogStores } from './audit-log-keys.js';

/** Why a new log begins. */
export interface NewLogOptions {
  readonly reason: string;
  /** The last checkpoint of the old log, if one is known that the vault does not have. */
  readonly checkpoint: string | undefined;
}

/** Holds the signing until an operator begins a new log. Returns whether signing is held: not if no log has begun. */
export const holdLog = async (vault: Vault, why: string): Promise<boolean> => {
  const records = new LogRecords(vault);
  for (;;) {
    const record = await records.state();
    if (record === undefined) return false;
    if (record.value.held !== null || (await records.store(record, { ...record.value, held: why }))) return true;
  }
};

/**
 * Begins a new log and returns its origin. Signing is held first, so that the checkpoint in the record is the last of the
 * old log. If a call is cut off, the next one goes on from there. Rejects with `AuditLogRefusal` if no log has begun, or if
 * the given checkpoint is not of the old log or not its last.
 */
export const startNewLog = async (
  stores: AuditLogStores,
  { reason, checkpoint }: NewLogOptions,
  context: CommandContext,
): Promise<string> => {
  const { facts, vault } = stores;
  const records = new LogRecords(vault);
  const old = await heldState(vault, records, checkpoint);
  const previousCheckpoint = checkpoint ?? (old.signed && cosignedNote(old.signed));
  const streams = new Streams(facts);
  const { state } = await streams.load(auditLog, AUDIT_LOG_ID);
  const generation = generationAfter(old, previousCheckpoint, state);
  const origin = laterOrigin(old, generation);
  const data = { origin, reason, previousOrigin: old.origin, previousCheckpoint };
  const handle = commandHandler(streams, unguarded);
  await handle(auditLog, AUDIT_LOG_ID, { type: 'StartAuditLog', data }, context);
  await keepLast(records, old, checkpoint);
  await retireKeys(vault, old.origin);
  await replaceState(records, old.generation, newState(generation, origin));
  return origin;
};

/**
 * Returns the number of the next log. A log is recorded already if a call was cut off, and then goes on; or if the vault is
 * older than the facts, and then its name is taken.
 */
const generationAfter = (old: LogState, previousCheckpoint: string | null, { started }: AuditLog): number => {
  for (let generation = old.generation + 1; ; generation += 1) {
    const recorded = started.find(({ origin }) => origin === laterOrigin(old, generation));
    if (recorded === undefined || recorded.previousCheckpoint === previousCheckpoint) return generation;
  }
};

/** Holds the signing if nothing speaks against a new log. Returns the state that is held. */
const heldState = async (vault: Vault, records: LogRecords, checkpoint: string | undefined): Promise<LogState> => {
  const state = (await records.state())?.value;
  if (state === undefined) throw new AuditLogRefusal('No audit log has begun, so no new one is needed.');
  if (checkpoint !== undefined) await mustBeLast(vault, state, checkpoint);
  await holdLog(vault, 'a new log is being begun');
  return (await records.state())?.value ?? state;
};

const mustBeLast = async (vault: Vault, { origin, signed }: LogState, checkpoint: string): Promise<void> => {
  const tree = verifiedTree(checkpoint, origin, await keysOf(vault, origin));
  if (tree === undefined) {
    throw new AuditLogRefusal(`The file has no checkpoint of ${origin} that a key in the vault has signed.`);
  }
  if (tree.size < (signed?.size ?? 0)) {
    throw new AuditLogRefusal(
      `The checkpoint in the file covers ${tree.size} events, the last one in the vault ${signed?.size}. Leave --checkpoint out.`,
    );
  }
};

const keepLast = async (
  records: LogRecords,
  { generation, origin, signed }: LogState,
  checkpoint: string | undefined,
): Promise<void> => {
  if (signed !== null) await records.keep(generation, signed.at, signed);
  if (checkpoint === undefined) return;
  const size = Number(checkpoint.slice(origin.length + 1).split('\n', 1)[0]);
  const at = new Date().toISOString();
  await records.keep(generation, at, { size, note: checkpoint, at });
};

/** Replaces the state of a log that is held. Witnesses may still add to it. */
const replaceState = async (records: LogRecords, generation: number, next: LogState): Promise<void> => {
  for (;;) {
    const record = await records.state();
    if (record?.value.generation !== generation || (await records.store(record, next))) return;
  }
};
