import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { Rings } from '../../src/infrastructure/rings.js';
import { eventually } from '../support/eventually.js';

const listening = (file: string) => {
  const heard: string[] = [];
  const rings = new Rings<string>(file, (what) => heard.push(what));
  onTestFinished(() => rings.close());
  return { rings, heard };
};

it('rings wherever the same file is open, here at once', async () => {
  const [one, same, other] = [listening('rings/one'), listening('rings/one'), listening('rings/other')];
  one.rings.ring('first');
  expect(one.heard).toEqual(['first']);
  await eventually(() => expect(same.heard).toEqual(['first']));
  expect(other.heard).toEqual([]);
});

it('rings in other threads', async () => {
  const { heard } = listening('rings/thread');
  const script = `
    const { BroadcastChannel } = require('node:worker_threads');
    const channel = new BroadcastChannel('rings/thread');
    channel.postMessage('from a thread');
    channel.close();`;
  const worker = new Worker(script, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  await eventually(() => expect(heard).toEqual(['from a thread']));
});

it('hears nothing once it is closed', async () => {
  const [one, closed] = [listening('rings/closed'), listening('rings/closed')];
  closed.rings.close();
  one.rings.ring('late');
  await pause(20);
  expect(closed.heard).toEqual([]);
});
