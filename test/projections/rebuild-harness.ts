// Helpers for the tests of rebuilds.
import { spawnSync } from 'node:child_process';
import type { Facts, LogRange } from '../../src/infrastructure/facts/facts.js';
import { owner } from '../../src/projections/runner.js';

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

/** Returns the name under which an ended process of this host owned leases. */
export const deadProcess = () => `${owner.split('/')[0]}/${spawnSync(process.execPath, ['--version']).pid}/gone`;
