// Builds recorded events for tests that need no log.
import type { RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import { at } from '../../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../../support/specification.js';

interface SampleEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Returns the time at which the nth event of a log was recorded. */
export const instant = (n: number): string => new Date(Date.UTC(2026, 0, 5, 8, 0, n)).toISOString();

/** Returns the nth event of a log, counted from 1, as the next event in the stream of an aggregate. */
export const recorded = (
  n: number,
  { type, data }: SampleEvent,
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

/** Returns a log of one aggregate. */
export const log = (aggregate: string, ...events: readonly SampleEvent[]): RecordedEvent[] =>
  events.map((event, index) => recorded(index + 1, event, { aggregate }));
