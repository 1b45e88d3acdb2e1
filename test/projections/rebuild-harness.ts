// Helpers for the tests of rebuilds.
import type { Facts, LogRange } from '../../src/infrastructure/facts/facts.js';

/** Returns the same log, and adds the range of each subscription to `ranges`. */
export const recordingRanges = (facts: Facts, ranges: LogRange[]): Facts =>
  new Proxy(facts, {
    get: (target, name) => {
      if (name === 'subscribe') {
        return (range: LogRange, signal: AbortSignal) => {
          ranges.push(range);
          return target.subscribe(range, signal);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
