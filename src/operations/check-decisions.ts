// Finds events that no decision of this program can have recorded: somebody wrote or changed them in the store itself.
import type { z } from 'zod';
import { allDeciders, allUpcasters } from '../domain/all.js';
import { type Foldable, fold, type Schemas } from '../domain/decider.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import type { Check } from './check.js';

/** Every event must be one that its aggregate can have recorded on the events before it. */
export const decisionsPossible: Check = {
  name: 'decisions',
  run: async (_, survey) => {
    const { streams, undecided } = await survey();
    if (undecided.count === 0) return { ok: true, said: `${streams} streams, in which every event could be decided` };
    return {
      ok: false,
      said: `${undecided.count} events that no decision can have recorded: ${undecided.firstOf('; ')}`,
      next: 'the log was changed, or another program writes to it: stop the service and restore facts and vault of one moment',
    };
  },
};

/** Returns whether this program knows the type and the version of an event. */
export const isKnown = ({ type, flaw }: RecordedEvent): boolean => allUpcasters.has(type) && flaw?.kind !== 'too-new';

/** Takes the events of a stream one after the other; returns the state after each, and what is wrong with the event. */
export type Judge = (event: RecordedEvent) => { readonly state: unknown; readonly fault?: string };

/** Returns the judge of a stream; undefined if its aggregate is none of the service. */
export const judgeOf = (stream: string): Judge | undefined => judges.get(aggregateOf(stream))?.(stream);

interface Judged<S> extends Foldable<S> {
  readonly events: Schemas;
  readonly permits: Readonly<Record<string, (state: S, data: never, actorId: string) => boolean>>;
}

const judging =
  <S>(decider: Judged<S>) =>
  (stream: string): Judge => {
    const id = aggregateIdOf(stream);
    let state = decider.initialState;
    return (event) => {
      const { type, data, metadata } = event;
      const misfit = misfitOf(decider, event);
      if (misfit !== undefined) return { state, fault: misfit };
      const isPermitted = decider.permits[type]?.(state, data as never, metadata.actor.id) ?? false;
      state = fold(decider, state, event, { id, at: metadata.at });
      return isPermitted ? { state } : { state, fault: `${metadata.actor.id} could not cause ${type} here` };
    };
  };

/** Returns why an event is none of its aggregate, whatever came before it. */
const misfitOf = (
  { aggregate, events }: Pick<Judged<unknown>, 'aggregate' | 'events'>,
  { type, data, flaw }: RecordedEvent,
): string | undefined => {
  const schema = Object.hasOwn(events, type) ? events[type] : undefined;
  if (schema === undefined) return `${aggregate} has no event of type ${type}`;
  if (flaw?.kind === 'too-new') return `there is no ${flaw.what}`;
  const issues = schema.safeParse(data).error?.issues ?? [];
  return issues.some(({ code }) => OF_SHAPE.has(code)) ? `its payload is none of ${type}` : undefined;
};

// Limits and formats may have been others when an event was recorded. Its shape has a version.
const OF_SHAPE: ReadonlySet<string> = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_value']);

const judges: ReadonlyMap<string, (stream: string) => Judge> = new Map(
  allDeciders.map((decider) => [decider.aggregate, judging(decider as unknown as Judged<unknown>)]),
);
