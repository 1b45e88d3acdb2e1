// Records every read of the audit trail in the trail itself, before the response starts.
import type { z } from 'zod';
import type { CommandContext } from '../../../commands/context.js';
import { seededIds } from '../../../commands/ids.js';
import { auditRead, type auditReadCommands } from '../../../domain/audit-read.js';
import type { ReadNames } from '../../../projections/users.js';
import type { RouteContext } from '../../route/context.js';
import type { Call } from '../../route/route.js';

type Reading = z.output<typeof auditReadCommands.RecordAuditRead>;

const HOUR_MS = 60 * 60 * 1_000;

/** Returns whether the caller may see the names of actors: an auditor, or who sees what administrators see. */
const mayNameActors = ({ seesAll, by }: Pick<Call<unknown, unknown, unknown>, 'seesAll' | 'by'>): boolean =>
  seesAll || by.actor.roles.includes('AUDITOR');

/**
 * Returns the function that reads the names of actors, at least as recent as the token; undefined if the caller may not
 * see them.
 */
export const actorNamesFor = async (
  { reader }: Pick<RouteContext, 'reader'>,
  call: Pick<Call<unknown, unknown, unknown>, 'seesAll' | 'by' | 'readOptions'>,
): Promise<ReadNames | undefined> => {
  const { consistency } = call.readOptions;
  if (mayNameActors(call)) return reader.namesSince(consistency);
  await reader.mustBeInLog(consistency);
  return undefined;
};

/** Records a reading. Returns its position in the log, at which an export ends. */
export const recordReading = async ({ handle }: RouteContext, data: Reading, by: CommandContext) =>
  (await handle(auditRead, 'new', { type: 'RecordAuditRead', data }, by)).position;

/**
 * Records that a session reads log entries, once per hour across all processes. Callers without a session share one
 * record.
 */
export const recordEntriesReading = async (
  { handle }: RouteContext,
  sessionId: string | undefined,
  by: CommandContext,
): Promise<void> => {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const id = seededIds({ random: `entries ${sessionId ?? 'open'}`, at: hour }).aggregateId();
  await handle(auditRead, id, { type: 'RecordAuditRead', data: { what: 'entries', filter: {} } }, by);
};
