// Readers that wait for a projection while the clock of the process is set.
import { expect, it, onTestFinished, vi } from 'vitest';
import { Progress } from '../../src/projections/progress.js';
import { at } from '../infrastructure/views/support/harness.js';
import { steps, stepsBack } from '../support/stepped-clock.js';

const open = () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return new Progress({ checkpoints: async () => [] });
};

it.each(stepsBack)('a reader gives up if the clock is set %s', async (_, ms) => {
  const waiting = open().reached('one', at(1), 20);
  vi.setSystemTime(Date.now() + ms);
  expect(await waiting).toBe(false);
});

it.each(steps)('a reader does not give up early if the clock is set %s', async (_, ms) => {
  const progress = open();
  const waiting = progress.reached('one', at(1), 600_000);
  vi.setSystemTime(Date.now() + ms);
  expect(await progress.reached('one', at(1), 20)).toBe(false);
  progress.advanced('one', at(1));
  expect(await waiting).toBe(true);
});
