// Tests what `verify` finds in stores from different backups, and that its advice repairs the faults.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createInstitution, createQuestionnaire } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../support/process.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { damage, signedAt } from './support/stores.js';
import { faultsOf, type Moments, StoresOfMoments, verify } from './support/stores-of-moments.js';

const HOUR_MS = 3_600_000;

/** Waits until a checkpoint covers all events. */
const untilSigned = (server: Server) =>
  eventually(async () => {
    const { body } = await server.get<string>('/audit/log/checkpoint');
    expect(Number(`${body}`.split('\n')[1])).toBe(recordedIn(server.directory).length);
  });

describe('verify', () => {
  const stores = new StoresOfMoments();
  const { server } = stores;
  const restored = (of?: Moments) => stores.restored(of);

  beforeAll(async () => {
    await server.start();
    await stores.stopAndCopy('empty');
    await server.start();
    const { id } = await createInstitution(server);
    await createQuestionnaire(server, id);
    await untilSigned(server);
    await stores.stopAndCopy('early');
    // The same stores, but signed hours before.
    await server.start();
    await stores.stopAndCopy('old');
    await signedAt(stores.at('old'), Date.now() - 3 * HOUR_MS);
    await server.start();
    for (const name of ['one', 'two', 'three']) await createQuestionnaire(server, id, { name });
    await untilSigned(server);
    await stores.stopAndCopy('late');
  });

  it.each(['empty', 'early', 'late'] as const)('finds nothing in stores from the same moment: %s', async (moment) => {
    const directory = restored({ 'facts.sqlite': moment, 'vault.sqlite': moment, 'views.sqlite': moment });
    const { code, out, err } = await verify(directory);
    expect([code, faultsOf(out), err]).toEqual([0, [], '']);
    for (const check of ['views', 'streams', 'audit-log']) expect(out).toMatch(new RegExp(`^${check} +ok`, 'm'));
  });

  it('finds nothing if the views are missing, as after a restore', async () => {
    expect(await verify(restored({ 'views.sqlite': 'lost' }))).toMatchObject({ code: 0 });
  });

  it('changes nothing and may run beside the service', async () => {
    const server = new Server(restored());
    await server.start();
    for (let times = 0; times < 2; times += 1) expect(await verify(server.directory)).toMatchObject({ code: 0 });
    expect(await server.stop()).toBe(0);
  });

  it.each<{ what: string; of: Moments; found: string[] }>([
    { what: 'facts older than vault and views', of: { 'facts.sqlite': 'early' }, found: ['views', 'audit-log'] },
    { what: 'facts empty', of: { 'facts.sqlite': 'empty' }, found: ['pair', 'views', 'audit-log'] },
    {
      what: 'facts and views older than the vault',
      of: { 'facts.sqlite': 'early', 'views.sqlite': 'early' },
      found: ['audit-log'],
    },
    {
      what: 'facts and vault older than the views',
      of: { 'facts.sqlite': 'early', 'vault.sqlite': 'early' },
      found: ['views'],
    },
    { what: 'vault older', of: { 'vault.sqlite': 'old' }, found: ['audit-log'] },
    { what: 'vault and views older', of: { 'vault.sqlite': 'old', 'views.sqlite': 'early' }, found: ['audit-log'] },
    { what: 'views older, which catch up', of: { 'views.sqlite': 'early' }, found: [] },
  ])('reports the correct checks: $what', async ({ of, found }) => {
    const { code, out } = await verify(restored(of));
    expect(faultsOf(out)).toEqual(found);
    expect(code).toBe(found.length === 0 ? 0 : 1);
    expect(out.match(/^ +do: \S/gm) ?? []).toHaveLength(out.match(/ FAULT: /g)?.length ?? 0);
  });

  it('finds nothing after the rebuilds that it recommends', async () => {
    const directory = restored({ 'facts.sqlite': 'early', 'vault.sqlite': 'early' });
    const { out } = await verify(directory);
    const rebuilds = [...out.matchAll(/projections rebuild (\w+)/g)].map(([, name = '']) => name);
    // A read model without relevant events since the early backup has not moved beyond the log.
    expect(rebuilds).toContain('protocols');
    const server = new Server(directory);
    await server.start();
    for (const name of rebuilds) {
      expect(await runCli(directory, 'projections', 'rebuild', name)).toMatchObject({ code: 0 });
    }
    await server.stop();
    expect(await verify(directory)).toMatchObject({ code: 0 });
  });

  it('finds a vault that has signed nothing, if the events are not new', async () => {
    const directory = restored({ 'vault.sqlite': 'empty' });
    expect(faultsOf((await verify(directory)).out)).toEqual([]);
    const began = new Date(Date.now() - HOUR_MS).toISOString();
    damage(directory, `UPDATE events SET metadata = json_set(metadata, '$.at', '${began}') WHERE revision = 0`);
    const { code, out } = await verify(directory);
    expect([code, faultsOf(out)]).toEqual([1, ['audit-log']]);
    expect(out).toContain('or no worker has run');
  });

  it('finds facts and a vault of different services', async () => {
    const other = new Server(temporaryDirectory());
    await other.start();
    await createInstitution(other);
    expect(await other.stop()).toBe(0);
    const directory = restored({ 'facts.sqlite': 'lost', 'views.sqlite': 'lost' });
    copyFileSync(join(other.directory, 'facts.sqlite'), join(directory, 'facts.sqlite'));
    expect(faultsOf((await verify(directory)).out)).toEqual(expect.arrayContaining(['pair', 'audit-log']));
  });

  it('finds nothing after the operator has begun a new audit log', async () => {
    const directory = restored({ 'facts.sqlite': 'early', 'views.sqlite': 'early' });
    expect(await verify(directory)).toMatchObject({ code: 1 });
    expect(await runCli(directory, 'log-keys', 'new-log', '--reason', 'The disk failed.')).toMatchObject({ code: 0 });
    expect(faultsOf((await verify(directory)).out)).toEqual([]);
  });

  it('says what replaced --accept', async () => {
    const { code, out, err } = await verify(restored(), '--accept');
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('log-keys new-log')]);
  });

  it('rejects an unknown option', async () => {
    expect(await verify(restored(), '--force')).toMatchObject({ code: 1, out: '' });
  });

  it('finds the fault that a service shows if its facts are older than its vault', async () => {
    const server = new Server(restored({ 'facts.sqlite': 'early', 'views.sqlite': 'early' }));
    await server.start();
    await eventually(async () => {
      const { body } = await server.get<{ readonly faults?: readonly { readonly code: string }[] }>('/readyz');
      expect(body.faults).toContainEqual(expect.objectContaining({ code: expect.stringMatching(/^audit-log-/) }));
    });
    expect(await server.stop()).toBe(0);
    expect(faultsOf((await verify(server.directory)).out)).toEqual(['audit-log']);
  });
});
