// What the tests of rebuilds look at a log with, and whom they have die.
import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import type { Facts, LogRange } from '../../src/infrastructure/facts/facts.js';

/** The same log; where subscriptions begin is kept. */
export const watched = (facts: Facts, ranges: LogRange[]): Facts =>
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

/** The name, as an owner of leases, of a process of this host that has ended. */
export const deadProcess = () => `${hostname()}/${spawnSync(process.execPath, ['--version']).pid}/gone`;
