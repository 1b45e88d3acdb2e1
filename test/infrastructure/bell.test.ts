import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Bell } from '../../src/infrastructure/bell.js';

/** Starts to wait. Returns the function that resolves to whether the wait is over. */
const waitingFor = (bell: Bell, timeoutMs?: number) => {
  let isOver = false;
  void bell.wait(timeoutMs).then(() => {
    isOver = true;
  });
  return async () => {
    await nextTurn();
    return isOver;
  };
};

it('a ring while nobody waits ends the next wait, and only that one', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  expect(await waitingFor(bell)()).toBe(true);
  expect(await waitingFor(bell)()).toBe(false);
});

it('a ring ends a wait that has begun, and not the next one', async () => {
  const bell = new Bell();
  const isOver = waitingFor(bell, 60_000);
  expect(await isOver()).toBe(false);
  bell.ring();
  expect(await isOver()).toBe(true);
  expect(await waitingFor(bell)()).toBe(false);
});

it('a wait without a ring ends after its timeout', async () => {
  await new Bell().wait(1);
});
