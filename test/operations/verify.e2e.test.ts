// Tests what `verify` finds in stores from different backups, and that its advice repairs the faults.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createInstitution, createQuestionnaire } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';
import { lookedAt } from './stores.js';

// The service keys of the vault are wrapped with the master key, which stays the same.
const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite'] as const;
type File = (typeof FILES)[number];
type Moment = 'empty' | 'early' | 'late';

const HOUR_MS = 3_600_000;

describe('verify', () => {
  const backups: Record<Moment, string> = {
    empty: temporaryDirectory(),
    early: temporaryDirectory(),
    late: temporaryDirectory(),
  };

  /** Creates a directory with files from the given backups. Other files come from the backup `late`. */
  const restored = (of: Partial<Record<File, Moment | 'lost'>> = {}): string => {
    const directory = temporaryDirectory();
    for (const file of FILES) {
      const moment = of[file] ?? 'late';
      if (moment !== 'lost') copyFileSync(join(backups[moment], file), join(directory, file));
    }
    copyFileSync(join(backups.late, 'master.key'), join(directory, 'master.key'));
    return directory;
  };
  const verify = (directory: string, ...options: readonly string[]) => runCli(directory, 'verify', ...options);
  // Does not match `audit-log`, whose result depends on how much was signed when the server stopped.
  const faultsOf = (out: string) => [...out.matchAll(/^(\w+) +FAULT/gm)].map(([, check]) => check);

  // A stopped server leaves no WAL behind, so that its files can be copied.
  beforeAll(async () => {
    const server = new Server(temporaryDirectory());
    const stopAndCopy = async (moment: Moment) => {
      expect(await server.stop()).toBe(0);
      for (const file of FILES) copyFileSync(join(server.directory, file), join(backups[moment], file));
    };
    await server.start();
    await stopAndCopy('empty');
    await server.start();
    const { id } = await createInstitution(server);
    await createQuestionnaire(server, id);
    await stopAndCopy('early');
    // As if the two copies were taken hours apart.
    await lookedAt(backups.early, Date.now() - 3 * HOUR_MS);
    await lookedAt(backups.empty, Date.now() - 6 * HOUR_MS);
    await server.start();
    for (const name of ['one', 'two', 'three']) await createQuestionnaire(server, id, { name });
    await stopAndCopy('late');
    copyFileSync(join(server.directory, 'master.key'), join(backups.late, 'master.key'));
  });

  it.each(['empty', 'early', 'late'] as const)('finds nothing in stores from the same moment: %s', async (moment) => {
    const directory = restored({ 'facts.sqlite': moment, 'vault.sqlite': moment, 'views.sqlite': moment });
    const { code, out, err } = await verify(directory);
    expect([code, faultsOf(out), err]).toEqual([0, [], '']);
    for (const check of ['views', 'facts', 'vault', 'streams']) expect(out).toMatch(new RegExp(`^${check} +ok`, 'm'));
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

  it.each<{ what: string; of: Partial<Record<File, Moment | 'lost'>>; found: string[] }>([
    { what: 'facts older than vault and views', of: { 'facts.sqlite': 'early' }, found: ['views', 'facts'] },
    { what: 'facts empty', of: { 'facts.sqlite': 'empty' }, found: ['views', 'facts'] },
    {
      what: 'facts and views older than the vault',
      of: { 'facts.sqlite': 'early', 'views.sqlite': 'early' },
      found: ['facts'],
    },
    {
      what: 'facts and vault older than the views',
      of: { 'facts.sqlite': 'early', 'vault.sqlite': 'early' },
      found: ['views'],
    },
    { what: 'vault older', of: { 'vault.sqlite': 'early' }, found: ['vault'] },
    { what: 'vault of an empty log', of: { 'vault.sqlite': 'empty' }, found: ['vault'] },
    { what: 'vault and views older', of: { 'vault.sqlite': 'early', 'views.sqlite': 'early' }, found: ['vault'] },
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

  it('finds nothing after the operator has accepted the facts', async () => {
    const directory = restored({ 'facts.sqlite': 'early', 'views.sqlite': 'early' });
    expect(await verify(directory)).toMatchObject({ code: 1 });
    expect(faultsOf((await verify(directory, '--accept')).out)).toEqual([]);
    expect(faultsOf((await verify(directory)).out)).toEqual([]);
  });

  it('rejects an unknown option', async () => {
    expect(await verify(restored(), '--force')).toMatchObject({ code: 1, out: '' });
  });

  it('finds the fault that a service logs if its facts are older than its vault', async () => {
    const server = new Server(restored({ 'facts.sqlite': 'early', 'views.sqlite': 'early' }));
    await server.start();
    expect(await server.stop()).toBe(0);
    expect(JSON.stringify(server.log)).toContain('FactsLost');
    expect(faultsOf((await verify(server.directory)).out)).toEqual(['facts']);
  });
});
