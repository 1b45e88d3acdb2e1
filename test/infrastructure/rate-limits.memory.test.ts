import { expect, it } from 'vitest';
import { MemoryRateLimits } from '../../src/infrastructure/rate-limits/memory.js';
import { limitsSuite, newQuota } from './rate-limits.suite.js';

limitsSuite('the memory of the process', () => new MemoryRateLimits());

it('of more callers than there is room for, those who asked last are remembered', async () => {
  const limits = new MemoryRateLimits(10);
  const quota = newQuota(1);
  await limits.take(quota, 'first');
  for (let caller = 0; caller < 9; caller += 1) await limits.take(quota, `${caller}`);
  expect(await limits.take(quota, 'first')).toMatchObject({ isOver: true });
  for (let caller = 10; caller < 20; caller += 1) await limits.take(quota, `${caller}`);
  expect(await limits.take(quota, 'first')).toMatchObject({ isOver: false });
  expect(await limits.take(quota, '19')).toMatchObject({ isOver: true });
});

it('a window never ends later than it is long, whatever the instant it begins at', async () => {
  const limits = new MemoryRateLimits();
  // By here the sum of both is over 2 ** 16 ms, where a double is less fine than the window alone.
  const quota = newQuota(1, 65);
  const standings = await Promise.all(Array.from({ length: 2_000 }, (_, caller) => limits.take(quota, `${caller}`)));
  expect(Math.max(...standings.map(({ resetS }) => resetS))).toBe(65);
});
