// What holds for every aggregate, whatever events its log has and in whatever order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allDeciders } from '../../src/domain/all.js';
import type { Decider, Schemas } from '../../src/domain/decider.js';
import { repetitions } from '../support/repetitions.js';
import { expectRecordable } from '../support/specification.js';
import { commandsOf, eventsOf, withFewIds } from './support/arbitraries.js';
import { decided, folded } from './support/play.js';

const numRuns = repetitions('PROPERTY_RUNS');
const deciders: readonly Decider<unknown, Schemas, Schemas>[] = allDeciders as never;

describe.each(deciders)('a log of $aggregate in any order', (decider) => {
  const log = fc.array(eventsOf(decider), { maxLength: 20, size: 'max' });
  const command = commandsOf(decider, Object.fromEntries(Object.keys(decider.commands).map((type) => [type, 1])));

  it('folds into a state of plain data without an error, from the initial state on', () =>
    fc.assert(
      fc.property(log, (events) => {
        for (const event of events) expectRecordable(decider, event);
        const state = folded(decider, events);
        // The maps of a protocol have holes. That its log leads to the same state again is one of its own properties.
        if (decider.aggregate !== 'protocol') expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
      }),
      { numRuns },
    ));

  it('folds into a state on which every command leads to events or a refusal', () =>
    fc.assert(
      fc.property(log, command.map(withFewIds), (events, sent) => {
        expect(Array.isArray(decided(decider, folded(decider, events), sent))).toBe(true);
      }),
      { numRuns },
    ));
});

describe.each(deciders.filter(({ initialState }) => JSON.stringify(initialState) === '{"status":"unknown"}'))(
  '$aggregate',
  (decider) => {
    it('is unknown until its first event, whatever other events its log has', () => {
      const [first] = Object.keys(decider.events);
      fc.assert(
        fc.property(fc.array(eventsOf(decider), { maxLength: 20 }), (events) => {
          const state = folded(decider, events);
          if (events.some(({ type }) => type === first)) expect(state).not.toMatchObject({ status: 'unknown' });
          else expect(state).toStrictEqual(decider.initialState);
        }),
      );
    });
  },
);
