// Finds events that no decision of this program can have recorded: somebody wrote or changed them in the store itself.
import type { z } from 'zod';
import { allDeciders, allUpcasters } from '../domain/all.js';
import { type Foldable, fold, type Schemas } from '../domain/decider.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import { type Facts, logPages, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { withUpcasters } from '../infrastructure/facts/upcast.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';
import { type Check, type CheckedStoresOfPersons, firstOf, type Result } from './check.js';
import { aggregates } from './watermark.js';

type Stores = Pick<CheckedStoresOfPersons, 'sealedFacts' | 'format'>;

/** Every event must be one that its aggregate can have recorded on the events before it. */
export const decisionsPossible = {
  name: 'decisions',
  run: async ({ sealedFacts, format }: Stores): Promise<Result> => {
    const isNewer = await format.isNewer();
    // Personal fields are null here. No decision is judged by them, and no key is needed.
    const facts = withUpcasters(sealedFacts, allUpcasters);
    const faults: string[] = [];
    let streams = 0;
    for await (const { events } of logPages(facts, { aggregates, after: undefined })) {
      for (const { stream } of events.filter(({ revision }) => revision === 0)) {
        streams += 1;
        faults.push(...(await faultsIn(facts, stream, isNewer)));
      }
    }
    if (faults.length === 0) return { ok: true, said: `${streams} streams, in which every event could be decided` };
    return {
      ok: false,
      said: `${faults.length} events that no decision can have recorded: ${firstOf(faults, '; ')}`,
      next: 'the log was changed, or another program writes to it: stop the service and restore facts and vault of one moment',
    };
  },
} satisfies Check<CheckedStoresOfPersons>;

const faultsIn = async (facts: Facts, stream: string, isNewer: boolean): Promise<readonly string[]> => {
  const judge = judges.get(aggregateOf(stream))?.(stream);
  const faults: string[] = [];
  for await (const event of eventsIn(facts, stream)) {
    // What a newer program recorded cannot be judged, nor can what follows.
    if (isNewer && !isKnown(event)) break;
    const fault = judge?.(event);
    if (fault !== undefined) faults.push(`${stream}, revision ${event.revision}, event ${event.id}: ${fault}`);
  }
  return faults;
};

/** Reads a stream as far as it is whole. The check `streams` reports a stream that lacks events. */
async function* eventsIn(facts: Facts, stream: string): AsyncGenerator<RecordedEvent> {
  try {
    yield* facts.readStream(stream);
  } catch (error) {
    if (!(error instanceof StreamTruncated)) throw error;
  }
}

const isKnown = ({ type, flaw }: RecordedEvent): boolean => allUpcasters.has(type) && flaw === undefined;

/** Takes the events of a stream one after the other; returns what is wrong with each, undefined if nothing is. */
type Judge = (event: RecordedEvent) => string | undefined;

interface Judged<S> extends Foldable<S> {
  readonly events: Schemas;
  readonly permits: Readonly<Record<string, (state: S, data: never, actorId: string) => boolean>>;
}

const judgeOf =
  <S>(decider: Judged<S>) =>
  (stream: string): Judge => {
    let state = decider.initialState;
    return (event) => {
      const { type, data, metadata } = event;
      const misfit = misfitOf(decider, event);
      if (misfit !== undefined) return misfit;
      const isPermitted = decider.permits[type]?.(state, data as never, metadata.actor.id) ?? false;
      state = fold(decider, state, event, { id: aggregateIdOf(stream), at: metadata.at });
      return isPermitted ? undefined : `${metadata.actor.id} could not cause ${type} here`;
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
  allDeciders.map((decider) => [decider.aggregate, judgeOf(decider as unknown as Judged<unknown>)]),
);
