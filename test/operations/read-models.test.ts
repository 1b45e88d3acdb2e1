// Rebuilds of read models as an operator waits for them, and retries.
import { expect, it, vi } from 'vitest';
import type { Checkpoint } from '../../src/infrastructure/views/views.js';
import { endOfRebuild, retryReadModel } from '../../src/operations/read-models.js';

const generation = { projection: 'users', number: 2 };
const building: Checkpoint = {
  ...generation,
  ...{ version: 1, state: 'building', position: undefined, stopped: undefined, heldBy: 'worker-1' },
};
const stopped = { position: '7', reason: 'a bad event' };
const others: readonly Checkpoint[] = [
  { ...building, number: 1, state: 'live' },
  { ...building, projection: 'protocols', stopped },
];

/** Returns read models whose generation is in these states, one after another. */
const viewsIn = (...states: readonly (Checkpoint | undefined)[]) => {
  const left = [...states];
  return { checkpoints: async () => [...others, ...[left.shift()].flatMap((each) => each ?? [])] };
};

it.each([
  ['live once a worker has built it', [building, building, { ...building, state: 'live' }], 'live'],
  ['dropped after another rebuild', [building, undefined], 'dropped'],
  ['stopped before a bad event', [building, { ...building, stopped }], stopped],
] as const)('a rebuild is %s', async (_, states, end) =>
  expect(await endOfRebuild(viewsIn(...states), generation)).toEqual(end),
);

it('a rebuild is unattended if no worker holds it for a while', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  try {
    const free = { ...building, heldBy: undefined };
    const views = viewsIn(building, free, building, free, free);
    // Each read takes six seconds: a worker that holds the generation in between begins the wait again.
    const slow = {
      checkpoints: async () => {
        now += 6_000;
        return views.checkpoints();
      },
    };
    expect(await endOfRebuild(slow, generation)).toBe('unattended');
    expect(now).toBe(30_000);
  } finally {
    clock.mockRestore();
  }
});

it('a retry clears each stop of the read model, and only of this one', async () => {
  const cleared: unknown[] = [];
  const viewsWith = (...checkpoints: readonly Checkpoint[]) => ({
    checkpoints: async () => [...others, ...checkpoints],
    setStopped: async ({ projection, number }: Pick<Checkpoint, 'projection' | 'number'>, stop: unknown) => {
      cleared.push([projection, number, stop]);
    },
  });
  expect(await retryReadModel(viewsWith(building), 'users')).toBe(false);
  expect(await retryReadModel(viewsWith(building, { ...building, number: 3, stopped }), 'users')).toBe(true);
  expect(cleared).toEqual([['users', 3, undefined]]);
});
