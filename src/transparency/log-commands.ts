// What an operator does with the audit log: a new key, and a new log after a legitimate restore. The signing is held
// until then, because a restored vault does not know what was signed after the backup, and one log must never have two
// signed trees of the same size.
import type { CommandContext } from '../commands/context.js';
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { unguarded } from '../commands/uniqueness.js';
import { AUDIT_LOG_ID, type AuditLog, auditLog } from '../domain/audit-log.js';
import type { AllStores } from '../infrastructure/stores.js';
import {
  addKey,
  boundSize,
  keysOf,
  type LogKeyStores,
  logKeys,
  makeFirstKey,
  newLogKey,
  retireKeys,
  verifiedCheckpoint,
  vouchedKeys,
} from './keys.js';
import { laterOrigin } from './origin.js';
import { cosignedNote, type KeptCheckpoint, LogRecords, type LogState, newState } from './records.js';

export type AuditLogStores = LogKeyStores & Pick<AllStores, 'facts'>;

export class AuditLogRefusal extends Error {
  override readonly name = 'AuditLogRefusal';
}

/**
 * Rotates to a new signing key of the audit log. The rotation is recorded before the key is stored, so that no key
 * signs without a record. If a rotation is interrupted, its record names a key that never signs. Returns the new
 * verifier key. Rejects with `AuditLogRefusal` if the log has no key yet.
 */
export const rotateLogKey = async (stores: AuditLogStores, context: CommandContext): Promise<string> => {
  const { facts, vault } = stores;
  const origin = (await new LogRecords(vault).state())?.origin;
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

/** Holds the signing until an operator starts a new log. Returns the held state; undefined if no log has started yet. */
export const holdLog = async (stores: LogKeyStores, why: string): Promise<LogState | undefined> => {
  const lost = await lostState(stores);
  let held: LogState | undefined;
  await new LogRecords(stores.vault).change((state = lost) => {
    held = state && { ...state, held: state.held ?? why };
    return state?.held === null ? held : undefined;
  });
  return held;
};

/**
 * Starts a new log and returns its origin. Holds the signing first, so that the recorded checkpoint is the last of the
 * old log. `checkpoint` is the last of the old log, if it is known and not in the vault. If a call is interrupted, the
 * next call continues it. Rejects with `AuditLogRefusal` if no log has started, or if the given checkpoint does not
 * belong to the old log or is not its last.
 */
export const startNewLog = async (
  stores: AuditLogStores,
  { reason, checkpoint }: { readonly reason: string; readonly checkpoint: string | undefined },
  context: CommandContext,
): Promise<string> => {
  const { facts, vault } = stores;
  const records = new LogRecords(vault);
  const given = checkpoint === undefined ? null : await lastCheckpoint(stores, checkpoint);
  const old = await holdLog(stores, 'a new log is being started');
  if (old === undefined) throw new AuditLogRefusal('No audit log has started, so no new log is needed.');
  const previousCheckpoint = checkpoint ?? (old.signed && cosignedNote(old.signed));
  const streams = new Streams(facts);
  const { state } = await streams.load(auditLog, AUDIT_LOG_ID);
  const generation = generationAfter(old, previousCheckpoint, state);
  const origin = laterOrigin(old, generation);
  const data = { origin, reason, previousOrigin: old.origin, previousCheckpoint };
  const handle = commandHandler(streams, unguarded);
  await handle(auditLog, AUDIT_LOG_ID, { type: 'StartAuditLog', data }, context);
  for (const last of [old.signed, given]) if (last !== null) await records.keep(old.generation, last.at, last);
  await retireKeys(vault, old.origin);
  // Together with its key, so that a state without a key is a fault.
  await makeFirstKey(stores, origin);
  await records.change((now) => (now?.generation === old.generation ? newState(generation, origin) : undefined));
  return origin;
};

/**
 * Returns the number of the next log. A log may already be recorded, either because a call was interrupted, which this
 * call continues, or because the vault is older than the event store, in which case its name is taken.
 */
const generationAfter = (old: LogState, previousCheckpoint: string | null, { started }: AuditLog): number => {
  for (let generation = old.generation + 1; ; generation += 1) {
    const recorded = started.find(({ origin }) => origin === laterOrigin(old, generation));
    if (recorded === undefined || recorded.previousCheckpoint === previousCheckpoint) return generation;
  }
};

/** Returns a checkpoint that an operator gives. Rejects with `AuditLogRefusal` unless it may be the last of the log. */
const lastCheckpoint = async (stores: LogKeyStores, note: string): Promise<KeptCheckpoint | null> => {
  const state = (await new LogRecords(stores.vault).state()) ?? (await lostState(stores));
  if (state === undefined) return null;
  const tree = verifiedCheckpoint(note, await keysOf(stores.vault, state.origin));
  if (tree === undefined) {
    throw new AuditLogRefusal(`The file has no checkpoint of ${state.origin} that was signed by a key in the vault.`);
  }
  const signedSize = state.signed?.size ?? 0;
  if (tree.size < signedSize) {
    throw new AuditLogRefusal(
      `The checkpoint in the file covers ${tree.size} events, but the last checkpoint in the vault covers ${signedSize}. Omit --checkpoint.`,
    );
  }
  return { size: tree.size, note, at: new Date().toISOString() };
};

/** Returns the state of a log that was lost, as far as its keys tell; undefined if no key has signed. */
const lostState = async (stores: LogKeyStores): Promise<LogState | undefined> => {
  const keys = await vouchedKeys(stores, await logKeys(stores.vault));
  const [newest, first] = [keys[0]?.origin, keys.at(-1)?.origin];
  if (newest === undefined || first === undefined || boundSize(keys) === 0) return undefined;
  return newState(newest === first ? 1 : Number(newest.slice(first.length + 1)), newest);
};
