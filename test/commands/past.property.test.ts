// The history of an aggregate names the instants at which its content changed: `asOf` at each of them is the fold of
// all events up to it.
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { historyPages } from '../../src/audit/history.js';
import { operatorContext } from '../../src/cli/operator.js';
import { Streams } from '../../src/commands/streams.js';
import { fold, type Schemas } from '../../src/domain/decider.js';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { streamName } from '../../src/infrastructure/stream-name.js';
import { institutionMachine, type Machine, protocolMachine, userMachine } from '../domain/support/machines.js';
import { logOf, played } from '../domain/support/play.js';
import { repetitions } from '../support/repetitions.js';
import { AGGREGATE_ID, type Sent } from '../support/specification.js';
import { someone } from './support/walker.js';

const numRuns = Math.ceil(repetitions('PROPERTY_RUNS') / 3);
vi.setConfig({ testTimeout: 90_000 + numRuns * 500 });

const factsOf = (events: readonly RecordedEvent[]): Facts => {
  const facts: Pick<Facts, 'readStream'> = {
    async *readStream(_, { from = 0 } = {}) {
      yield* events.slice(from);
    },
  };
  return facts as Facts;
};

const expectPastOf = async <S, E extends Schemas, C extends Schemas>(
  machine: Machine<S, E, C>,
  commands: readonly Sent<C>[],
): Promise<void> => {
  const { decider } = machine;
  const stream = streamName(decider.aggregate, AGGREGATE_ID);
  const log = logOf(played(machine, commands));
  const recorded = log.map(({ event, on: { at } }, revision): RecordedEvent => {
    const metadata = { ...operatorContext(), at, schemaVersion: 1 };
    return { ...event, stream, revision, metadata, id: `${revision}`, position: `${revision}` };
  });
  const facts = factsOf(recorded);
  const streams = new Streams(facts);
  const steps: RecordedEvent[] = [];
  for await (const { items } of historyPages(facts, stream, {}, 2)) {
    steps.push(...items);
  }
  expect(steps).toEqual(recorded);
  for (const { metadata } of steps) {
    const until = log.filter(({ on }) => on.at <= metadata.at);
    const expected = until.reduce((state, { event, on }) => fold(decider, state, event, on), decider.initialState);
    const { state, revision } = await streams.asOf(decider, AGGREGATE_ID, metadata.at, someone());
    expect([state, revision]).toEqual([expected, until.length - 1]);
  }
};

const past = <S, E extends Schemas, C extends Schemas>(machine: Machine<S, E, C>) =>
  fc.assert(
    fc.asyncProperty(machine.beginning, fc.array(machine.later, { maxLength: 15 }), async (first, others) =>
      expectPastOf(machine, [first, ...others]),
    ),
    { numRuns },
  );

it('asOf at each step of the history of a user is the fold of all events up to it', () => past(userMachine));
it('asOf at each step of the history of an institution is the fold of all events up to it', () =>
  past(institutionMachine));
it('asOf at each step of the history of a protocol is the fold of all events up to it', () => past(protocolMachine));
