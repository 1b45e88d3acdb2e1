// The rule by which a process refuses requests, whatever they do.
import { expect, it } from 'vitest';
import { Load } from '../../../src/http/server/overload.js';

it('a process runs a limited number of requests', () => {
  const load = new Load(2);
  load.begin();
  expect(load.isFull).toBe(false);
  load.begin();
  expect(load.isFull).toBe(true);
  load.end();
  expect(load.isFull).toBe(false);
});

it('a request that waits for its client does not count', () => {
  const load = new Load(1);
  load.begin();
  load.pause();
  expect(load.isFull).toBe(false);
  load.resume();
  expect(load.isFull).toBe(true);
});
