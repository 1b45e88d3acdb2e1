// Finds streams whose metadata makes the engine hide or remove events. The service refuses to read such streams.

import { aggregates } from '../domain/all.js';
import { firstOf } from '../infrastructure/tally.js';
import type { Check } from './check.js';

/** Checks that no stream of the service has metadata that hides or removes events. */
export const nothingTruncated = {
  name: 'metadata',
  run: async ({ facts }) => {
    const found = await facts.truncations(aggregates);
    if (found.length === 0) return { ok: true, summary: 'no stream has metadata that hides or removes events' };
    const named = firstOf(found.map(({ stream, metadata }) => `${stream} ${metadata}`));
    return {
      ok: false,
      summary: `the metadata of ${found.length} streams hides or removes events: ${named}`,
      next:
        'remove $maxAge, $maxCount and $tb from the metadata of each stream before the next scavenge, then verify again; ' +
        'events that a scavenge has removed exist only in backups',
    };
  },
} satisfies Check;
