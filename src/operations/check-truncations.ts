// Finds streams whose events the engine was told to hide or remove. A service that reads such a stream refuses it.

import { aggregates } from '../domain/all.js';
import { firstOf } from '../infrastructure/tally.js';
import type { Check } from './check.js';

/** No stream of the service may have metadata that hide or remove events. */
export const nothingTruncated = {
  name: 'metadata',
  run: async ({ facts }) => {
    const found = await facts.truncations(aggregates);
    if (found.length === 0) return { ok: true, said: 'no stream has metadata that hide or remove its events' };
    const named = firstOf(found.map(({ stream, metadata }) => `${stream} ${metadata}`));
    return {
      ok: false,
      said: `the metadata of ${found.length} streams hide or remove events: ${named}`,
      next:
        'write the metadata of each without $maxAge, $maxCount and $tb before the next scavenge, then verify again; ' +
        'what a scavenge has removed is in a backup alone',
    };
  },
} satisfies Check;
