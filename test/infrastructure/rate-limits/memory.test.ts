import { expect, it } from 'vitest';
import { MemoryRateLimits } from '../../../src/infrastructure/rate-limits/memory.js';
import { limitsSuite, newQuota } from './rate-limits.suite.js';

limitsSuite('the memory of the process', () => new MemoryRateLimits());

it('the most recent callers are remembered if there are more callers than room', async () => {
  const limits = new MemoryRateLimits(10);
  const quota = newQuota(1);
  await limits.take(quota, 'first');
  for (let caller = 0; caller < 9; caller += 1) await limits.take(quota, `${caller}`);
  expect(await limits.take(quota, 'first')).toMatchObject({ isOver: true });
  for (let caller = 10; caller < 20; caller += 1) await limits.take(quota, `${caller}`);
  expect(await limits.take(quota, 'first')).toMatchObject({ isOver: false });
  expect(await limits.take(quota, '19')).toMatchObject({ isOver: true });
});

it('callers of one quota do not make the counts of another forgotten', async () => {
  const limits = new MemoryRateLimits(10);
  const [quota, other] = [newQuota(1), newQuota(1)];
  await limits.take(quota, 'a');
  for (let caller = 0; caller < 20; caller += 1) await limits.take(other, `${caller}`);
  expect(await limits.take(quota, 'a')).toMatchObject({ isOver: true });
});

it('a window never lasts longer than its length, whenever it begins', async () => {
  const limits = new MemoryRateLimits();
  // With this window, the sum of clock and window exceeds 2 ** 16 ms, where a double is less precise than the window
  // alone.
  const quota = newQuota(1, 65);
  const standings = await Promise.all(Array.from({ length: 2_000 }, (_, caller) => limits.take(quota, `${caller}`)));
  expect(Math.max(...standings.map(({ resetS }) => resetS))).toBe(65);
});
