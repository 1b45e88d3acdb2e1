// Whether the log is whole, stream by stream.
import type { Check } from './check.js';

/** In every stream: revisions without gaps, positions that ascend, times that do not go back, unique event ids. */
export const streamsWhole: Check = {
  name: 'streams',
  run: async (_, survey) => {
    const { events, streams, broken } = await survey();
    const said = `${events} events in ${streams} streams`;
    if (broken.count === 0) return { ok: true, said };
    return {
      ok: false,
      said: `${said}; ${broken.count} faults: ${broken.firstOf('; ')}`,
      next: 'the log itself is damaged: stop the service and restore facts and vault of one moment',
    };
  },
};
