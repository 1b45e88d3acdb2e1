// Callers that do the same thing over and over while something else is looked at.
import { Caller } from './caller.js';
import type { Send } from './rate.js';

/** Does something by callers of their own, over and over, until it is told to stop; tells how often it was done. */
export const keepDoing = (url: string, connections: number, send: Send) => {
  let isOver = false;
  let count = 0;
  const all = Array.from({ length: connections }, async (_, connection) => {
    const caller = new Caller(url);
    while (!isOver) {
      await send(caller, connection);
      count += 1;
    }
    caller.close();
  });
  const ended = Promise.all(all);
  // A failure is told by `stop`.
  ended.catch(() => undefined);
  return {
    count: () => count,
    stop: async () => {
      isOver = true;
      await ended;
    },
  };
};
