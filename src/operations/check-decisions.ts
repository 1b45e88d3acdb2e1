// Finds events that no decision of this program can have recorded, because they were written or changed in the store.
import type { z } from 'zod';
import { allDeciders, allUpcasters } from '../domain/all.js';
import { type Foldable, fold, type Schemas } from '../domain/decider.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import type { Check } from './check.js';

/** Checks that each aggregate can have recorded each of its events after the preceding events. */
export const decisionsPossible: Check = {
  name: 'decisions',
  run: async (_, survey) => {
    const { streams, undecided } = await survey();
    if (undecided.count === 0)
      return { ok: true, summary: `${streams} streams, whose events can all have been recorded by this service` };
    return {
      ok: false,
      summary: `${undecided.count} events that no decision can have recorded: ${undecided.firstOf('; ')}`,
      next: 'the log was changed, or another program writes to it: stop the service and restore facts and vault from one backup',
    };
  },
};

/** Returns whether this program knows the type and the version of an event. */
export const isKnown = ({ type, flaw }: RecordedEvent): boolean => allUpcasters.has(type) && flaw?.kind !== 'too-new';

/**
 * Takes the events of a stream in order. Returns the state after each event, and the fault of the event if it has one.
 */
export type StreamCheck = (event: RecordedEvent) => { readonly state: unknown; readonly fault?: string };

/** Returns the judge of a stream; undefined if the service has no such aggregate. */
export const streamCheckOf = (stream: string): StreamCheck | undefined =>
  streamChecks.get(aggregateOf(stream))?.(stream);

interface CheckedDecider<S> extends Foldable<S> {
  readonly events: Schemas;
  readonly permits: Readonly<Record<string, (state: S, data: never, actorId: string) => boolean>>;
}

const streamCheckFor =
  <S>(decider: CheckedDecider<S>) =>
  (stream: string): StreamCheck => {
    const id = aggregateIdOf(stream);
    let state = decider.initialState;
    return (event) => {
      const { type, data, metadata } = event;
      const misfit = misfitOf(decider, event);
      if (misfit !== undefined) return { state, fault: misfit };
      const isPermitted = decider.permits[type]?.(state, data as never, metadata.actor.id) ?? false;
      state = fold(decider, state, event, { id, at: metadata.at });
      return isPermitted ? { state } : { state, fault: `${metadata.actor.id} cannot have caused ${type} here` };
    };
  };

/** Returns why an event cannot belong to its aggregate, regardless of the preceding events. */
const misfitOf = (
  { aggregate, events }: Pick<CheckedDecider<unknown>, 'aggregate' | 'events'>,
  { type, data, flaw }: RecordedEvent,
): string | undefined => {
  const schema = Object.hasOwn(events, type) ? events[type] : undefined;
  if (schema === undefined) return `${aggregate} has no event of type ${type}`;
  if (flaw?.kind === 'too-new') return `${flaw.what} does not exist`;
  const issues = schema.safeParse(data).error?.issues ?? [];
  return issues.some(({ code }) => SHAPE_ISSUES.has(code)) ? `its payload is not a payload of ${type}` : undefined;
};

// Only the shape is checked, because it has a version. Limits and formats may have been different at the time.
const SHAPE_ISSUES: ReadonlySet<string> = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_value']);

const streamChecks: ReadonlyMap<string, (stream: string) => StreamCheck> = new Map(
  allDeciders.map((decider) => [decider.aggregate, streamCheckFor(decider as unknown as CheckedDecider<unknown>)]),
);
