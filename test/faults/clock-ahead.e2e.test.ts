// A service whose clock was 400 days ahead for one start: what later decisions record, and where an operator sees it.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDoctor, successful } from '../http/support/samples.js';
import { clockAhead, DAY_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';
import { runVerifier } from '../verifier/support/verifier.js';

interface Step {
  readonly type: string;
  readonly at: string;
  readonly clock: string | null;
}

interface Readiness {
  readonly status: string;
  readonly faults?: readonly { readonly code: string }[];
}

it('marks later events with the time of the clock, and an operator sees it until the streams have caught up', async () => {
  const directory = temporaryDirectory();
  const ahead = new Server(directory, clockAhead(400 * DAY_MS));
  await ahead.start();
  const { id, profiles } = await createDoctor(ahead);
  const path = `/users/${id}/profiles/${first(profiles).id}`;
  successful(await ahead.patch(`${path}/approve`, {}));
  await ahead.stop();

  const server = new Server(directory);
  await server.start();
  onTestFinished(() => server.stop().then(() => undefined));
  expect((await server.get<Readiness>('/readyz')).body).toMatchObject({ status: 'ready' });
  const before = Date.now();
  successful(await server.patch(`${path}/reject`, {}));

  const { items } = successful(await server.get<{ items: Step[] }>(`${path}/history`)).body;
  expect(items.slice(0, -1).map(({ clock }) => clock)).toEqual(items.slice(0, -1).map(() => null));
  const [approved, rejected] = items.slice(-2);
  expect(rejected).toMatchObject({ type: 'UserProfileRejected', at: approved?.at });
  const clock = rejected?.clock ?? '';
  expect(Date.parse(clock)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(clock)).toBeLessThanOrEqual(Date.now());

  const query = '/audit/events?type=UserProfileRejected';
  const { body } = successful(await server.get<{ items: object[] }>(query));
  expect(body.items).toMatchObject([{ at: approved?.at, metadata: { clock } }]);
  const cloud = await server.get<object[]>(query, { Accept: 'application/cloudevents-batch+json' });
  expect(cloud.body).toMatchObject([{ time: approved?.at, clock }]);
  await eventually(async () => {
    const { status, body } = await server.get<Readiness>('/readyz');
    expect([status, body.status, body.faults?.map(({ code }) => code)]).toEqual([200, 'degraded', ['clock-behind']]);
  });

  await eventually(async () => expect((await runCli(directory, 'verify')).code).toBe(0));
  const { out } = await runCli(directory, 'verify');
  expect(out).toMatch(new RegExp(`^streams +ok.*user-${id}`, 'm'));
  const bundle = join(temporaryDirectory(), 'bundle');
  expect(await runCli(directory, 'audit', 'export', bundle)).toMatchObject({ code: 0 });
  const key = successful(await server.get<string>('/audit/log/key')).body.trim();
  expect(await runVerifier(bundle, '--key', key)).toMatchObject({ code: 0, err: '' });
});
