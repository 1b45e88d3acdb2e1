// Finds events of a type or shape that this program does not know.
import type { z } from 'zod';
import { allDeciders, allUpcasters } from '../domain/all.js';
import type { Schemas } from '../domain/decider.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateOf } from '../infrastructure/stream-name.js';
import type { Check } from './check.js';

/** Checks that every event has a type of its aggregate, and the payload of its type. */
export const eventsKnown: Check = {
  name: 'events',
  run: async (_, survey) => {
    const { streams, misfits } = await survey();
    if (misfits.count === 0) return { ok: true, summary: `${streams} streams, whose events all have a known shape` };
    return {
      ok: false,
      summary: `${misfits.count} events of a type or shape that this service does not record: ${misfits.firstOf('; ')}`,
      next: 'the log was changed, or another program writes to it: stop the service and restore facts and vault from one backup',
    };
  },
};

/** Returns whether this program knows the type and the version of an event. */
export const isKnown = ({ type, flaw }: RecordedEvent): boolean => allUpcasters.has(type) && flaw?.kind !== 'too-new';

/** Returns why no decision of this program can have recorded an event in its stream; undefined if one can. */
export const misfitOf = ({ stream, type, data, flaw }: RecordedEvent): string | undefined => {
  const aggregate = aggregateOf(stream);
  const events = EVENTS.get(aggregate) ?? {};
  const schema = Object.hasOwn(events, type) ? events[type] : undefined;
  if (schema === undefined) return `${aggregate} has no event of type ${type}`;
  if (flaw?.kind === 'too-new') return `${flaw.what} does not exist`;
  const issues = schema.safeParse(data).error?.issues ?? [];
  return issues.some(({ code }) => SHAPE_ISSUES.has(code)) ? `its payload is not a payload of ${type}` : undefined;
};

// Only the shape is checked, because it has a version. Limits and formats may have been different at the time.
const SHAPE_ISSUES: ReadonlySet<string> = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_value']);

const EVENTS: ReadonlyMap<string, Schemas> = new Map(allDeciders.map(({ aggregate, events }) => [aggregate, events]));
