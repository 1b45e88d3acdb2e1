// Events as a log holds them, for the tests that need no log.
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { Skips } from '../../src/projections/batch.js';
import { at } from '../infrastructure/views-harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';

/** No event is left out by an operator's decision. */
export const nothingSkipped: Skips = { has: () => false, hasNow: async () => false };

interface Happening {
  readonly type: string;
  readonly data: unknown;
}

/** The instant at which the nth event of a log was recorded. */
export const instant = (n: number): string => new Date(Date.UTC(2026, 0, 5, 8, 0, n)).toISOString();

/** The nth event of a log, from 1 on, in the stream of an aggregate that it is the next event of. */
export const recorded = (
  n: number,
  { type, data }: Happening,
  { aggregate = 'protocol', id = AGGREGATE_ID, revision = n - 1 } = {},
): RecordedEvent => ({
  id: uuidOf(0xe00_000 + n),
  type,
  data,
  metadata: {
    at: instant(n),
    actor: { id: 'anonymous', roles: [] },
    correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
    causationId: 'request-1',
    schemaVersion: 1,
  },
  stream: `${aggregate}-${id}`,
  revision,
  position: at(n),
});

/** A log of one aggregate. */
export const log = (aggregate: string, ...events: readonly Happening[]): RecordedEvent[] =>
  events.map((event, index) => recorded(index + 1, event, { aggregate }));
