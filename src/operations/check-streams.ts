// Checks that every stream of the log is intact.
import type { Check } from './check.js';

/** Checks that revisions have no gaps, positions increase, times do not go back, and event ids are unique. */
export const streamsWhole: Check = {
  name: 'streams',
  run: async (_, survey) => {
    const { events, streams, broken } = await survey();
    const summary = `${events} events in ${streams} streams`;
    if (broken.count === 0) return { ok: true, summary };
    return {
      ok: false,
      summary: `${summary}; ${broken.count} faults: ${broken.firstOf('; ')}`,
      next: 'the log itself is damaged: stop the service and restore facts and vault from one backup',
    };
  },
};
