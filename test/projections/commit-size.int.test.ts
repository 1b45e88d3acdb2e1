// Bounds the size of one commit of a projection that catches up.
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Commit, Views } from '../../src/infrastructure/views/views.js';
import { protocols } from '../../src/projections/protocols.js';
import { created } from '../domain/protocol/samples.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { checkpointsOf } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { startRunner } from './replay.js';

const EVENTS = 40;
const MIB = 1_024 * 1_024;

it('bounds a commit by the bytes of its events, not only by their number', async () => {
  const facts = new SqliteFacts(temporaryDirectory());
  const views = new SqliteViews(temporaryDirectory());
  const prompt = 'x'.repeat(900_000);
  for (let n = 0; n < EVENTS; n += 1) {
    await facts.append(`protocol-${randomUUID()}`, 'no-stream', [
      { ...newEvent({ ...created.data, prompt }), type: created.type },
    ]);
  }
  const sizes: number[] = [];
  const measuring: Views = new Proxy(views, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'commit') return typeof member === 'function' ? member.bind(target) : member;
      return (commit: Commit) => {
        sizes.push(commit.writes.reduce((sum, { body }) => sum + body.length, 0));
        return target.commit(commit);
      };
    },
  });
  await views.prepare(protocols);
  const { close } = startRunner(facts, measuring, [protocols]);
  onTestFinished(async () => {
    await close();
    await views.close();
    await facts.close();
  });
  const head = await facts.head();
  await eventually(async () => expect((await checkpointsOf(views, protocols.name))[0]?.position).toBe(head));
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(EVENTS * 900_000);
  expect(Math.max(...sizes)).toBeLessThan(10 * MIB);
});
