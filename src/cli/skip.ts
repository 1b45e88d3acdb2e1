// `projections skip`: records an operator's decision to make a projection skip the event that it stopped before.
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { unguarded } from '../commands/uniqueness.js';
import { projection as decisions, projectionCommands } from '../domain/projection-skips.js';
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Checkpoint, Views } from '../infrastructure/views/views.js';
import type { Projection } from '../projections/projection.js';
import { decisionsId, skippedOf } from '../projections/skipped.js';
import { operatorContext } from './operator.js';
import { UsageError } from './usage-error.js';

interface Stores {
  readonly facts: Facts;
  readonly views: Views;
}

type Stopped = Checkpoint & { readonly stopped: NonNullable<Checkpoint['stopped']> };

/** The options of `projections skip`. */
export interface SkipOptions {
  readonly position?: string;
  readonly reason?: string;
}

const PAGE = 256;

const reasonSchema = projectionCommands.SkipProjectionEvent.shape.reason;

/**
 * Records that a projection permanently skips the event at `position`, and resumes the projection. Rejects with
 * `UsageError` if the projection is not stopped before that event, or if the reason is missing.
 */
export const skipEvent = async (
  { facts, views }: Stores,
  { name, aggregates }: Projection,
  { position, reason }: SkipOptions,
): Promise<RecordedEvent> => {
  const given = reasonSchema.safeParse(reason);
  if (!given.success) throw new UsageError('Pass a --reason of 1 to 500 characters, at least one of them visible.');
  const stopped = await stoppedAt(views, name, position);
  const event = await eventAt(facts, aggregates, stopped);
  const { stream, revision, type } = event;
  const data = { projection: name, position: event.position, stream, revision, type, reason: given.data };
  const handle = commandHandler(new Streams(facts), unguarded);
  await handle(decisions, decisionsId(name), { type: 'SkipProjectionEvent', data }, operatorContext());
  for (const checkpoint of await stoppedOf(views, name)) {
    if (checkpoint.stopped.position === event.position) await views.setStopped(checkpoint, undefined);
  }
  return event;
};

/** Returns a line for each event that a projection skips. */
export const skippedLines = async (facts: Facts, projection: string): Promise<readonly string[]> =>
  (await skippedOf(facts, projection)).map(
    ({ position, type, stream, revision, reason }) =>
      `${projection} skips ${position}, ${type} in ${stream} at revision ${revision}: ${reason}`,
  );

const stoppedOf = async (views: Views, name: string): Promise<readonly Stopped[]> =>
  (await views.checkpoints()).filter(
    (checkpoint): checkpoint is Stopped => checkpoint.projection === name && checkpoint.stopped !== undefined,
  );

/** Returns the generation that stopped before a position. */
const stoppedAt = async (views: Views, name: string, position: string | undefined): Promise<Stopped> => {
  const all = await stoppedOf(views, name);
  const found = all.find(({ stopped }) => stopped.position === position);
  if (found !== undefined) return found;
  if (all.length === 0) throw new UsageError(`${name} is not stopped, so there is nothing to skip.`);
  const positions = [...new Set(all.map(({ stopped }) => stopped.position))].join(' and before ');
  throw new UsageError(
    `${name} stopped before ${positions}, and only that event can be skipped. Pass --position ${positions}.`,
  );
};

/** Returns the event that a generation stopped before. */
const eventAt = async (
  facts: Facts,
  aggregates: readonly string[],
  { projection, position, stopped }: Stopped,
): Promise<RecordedEvent> => {
  for (let after: Position | undefined = position; ; ) {
    const page = await facts.readLog({ aggregates, after }, PAGE);
    const event = page.events.find((each) => each.position === stopped.position);
    if (event !== undefined) return event;
    if (page.atEnd) throw new Error(`the log has no event at ${stopped.position}, where ${projection} stopped`);
    after = page.position;
  }
};
