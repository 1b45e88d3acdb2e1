// The operator's audit commands, run with the built tool beside a running service. Offline commands run without any
// store.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { type Traced, tracedPerson } from '../http/erased-person.js';
import { successful, UNKNOWN_ID } from '../http/samples.js';
import { bytesUnder, foundIn, valuesOf } from '../support/canaries.js';
import { temporaryDirectory } from '../support/directory.js';
import { run, runCli } from '../support/process.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const server = new Server(temporaryDirectory());
let traced: Traced;
const audit = (...args: readonly string[]) => runCli(server.directory, 'audit', ...args);

beforeAll(async () => {
  await server.start();
  traced = await tracedPerson(server);
});
afterAll(() => server.stop());

describe('audit replay --profile', () => {
  it('prints the history of a profile step by step, with type, time, actor, change of status and reason', async () => {
    const { userId, profileId, canaries } = traced;
    const { code, out, err } = await audit('replay', '--profile', profileId);
    expect([code, err]).toEqual([0, '']);
    const events = recordedIn(server.directory, `user-${userId}`).filter(({ data }) => data['profileId'] === profileId);
    const transitions = [
      'nothing -> ANALYSING',
      'ANALYSING -> REJECTED',
      'REJECTED -> ANALYSING',
      'ANALYSING -> APPROVED',
    ];
    const steps = out.split(/^(?=\d{4}-)/m);
    expect(steps.shift()).toContain(`profile ${profileId} of user ${userId}`);
    expect(steps).toHaveLength(events.length);
    for (const [index, { type, revision, metadata }] of events.entries()) {
      for (const part of [metadata.at, type, `revision ${revision} `, 'by anonymous', transitions[index] ?? '']) {
        expect(steps[index]).toContain(part);
      }
    }
    const [rejected, approved] = canaries.reasons;
    expect([steps[1], steps[3]]).toEqual([
      expect.stringContaining(`reason: ${rejected}`),
      expect.stringMatching(new RegExp(`enabled\\n  reason: ${approved}`)),
    ]);
  });

  it('ends at the requested time, with the status at that time', async () => {
    const { userId, profileId } = traced;
    const [added, rejected] = recordedIn(server.directory, `user-${userId}`)
      .filter(({ data }) => data['profileId'] === profileId)
      .map(({ metadata }) => metadata.at);
    const asOf = (instant = '') => audit('replay', '--profile', profileId, '--asOf', instant);
    const then = await asOf(rejected);
    expect([then.code, then.err]).toEqual([0, '']);
    expect(then.out).toContain('ANALYSING -> REJECTED');
    expect(then.out).not.toContain('REJECTED -> ANALYSING');
    expect(then.out.trimEnd().split('\n').at(-1)).toBe(`as of ${rejected}: REJECTED`);
    const before = new Date(Date.parse(added ?? '') - 1).toISOString();
    expect(await asOf(before)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(before) });
    expect(await asOf('2026-11-22')).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/T\d\d:/) });
  });

  it('reports an unknown profile', async () => {
    const { code, out, err } = await audit('replay', '--profile', UNKNOWN_ID);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(UNKNOWN_ID);
  });
});

describe('audit replay --all --compare', () => {
  it('finds no difference beside a running service, and leaves nothing behind', async () => {
    const temporary = temporaryDirectory();
    const environment = { DATA_DIR: server.directory, TMPDIR: temporary };
    const { code, out, err } = await run('cli', { environment, arguments: ['audit', 'replay', '--all', '--compare'] });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\d+ documents compared at \w+, 0 differ\n$/);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('lists manipulated documents and exits with 1, and a rebuild repairs them', async () => {
    const { userId, profileId } = traced;
    expect(await server.stop()).toBe(0);
    const db = new Database(join(server.directory, 'views.sqlite'));
    const tamper = (table: string, id: string) =>
      db.prepare(`UPDATE ${table} SET body = json_set(body, '$.enabled', json('false')) WHERE id = ?`).run(id).changes;
    expect([tamper('users_1', userId), tamper('profiles_1', profileId)]).toEqual([1, 1]);
    db.close();
    await server.start();
    const { code, out, err } = await audit('replay', '--all', '--compare');
    expect([code, err]).toEqual([1, expect.stringContaining('rebuild')]);
    expect(out.trimEnd().split('\n')).toEqual([
      `profiles ${profileId}: different`,
      `users ${userId}: different`,
      expect.stringMatching(/, 2 differ$/),
    ]);
    expect(await runCli(server.directory, 'projections', 'rebuild', 'users')).toMatchObject({ code: 0 });
    expect(await audit('replay', '--all', '--compare')).toMatchObject({ code: 0 });
  });
});

describe('audit export', () => {
  const bundle = join(temporaryDirectory(), 'bundle');
  const manifestOf = () => JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as Record<string, unknown>;

  it('writes the whole log', async () => {
    const exported = await audit('export', bundle);
    expect([exported.code, exported.err]).toEqual([0, '']);
    const recorded = recordedIn(server.directory);
    expect(exported.out).toContain(`${recorded.length} events written to ${bundle}`);
    const lines = readFileSync(join(bundle, 'events.jsonl'), 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ id, stream, revision, type, data }) => ({ id, stream, revision, type, data }))).toEqual(
      recorded.map(({ id, stream, revision, type, data }) => ({ id, stream, revision, type, data })),
    );
    expect(manifestOf()).toMatchObject({ events: recorded.length, streams: { user: 2 }, types: { UserRegistered: 2 } });
  });

  it('leaves personal fields sealed', () => {
    const { canaries } = traced;
    expect(foundIn(bytesUnder(bundle), canaries)).toEqual([]);
    expect(foundIn(bytesUnder(server.directory), canaries)).toEqual(expect.arrayContaining([canaries.email]));
    expect(valuesOf(canaries).length).toBeGreaterThan(9);
  });

  it('does not overwrite existing files', async () => {
    const before = readFileSync(join(bundle, 'manifest.json'), 'utf8');
    const { code, err } = await audit('export', bundle);
    expect([code, err]).toEqual([1, expect.stringContaining('not empty')]);
    expect(readFileSync(join(bundle, 'manifest.json'), 'utf8')).toBe(before);
  });

  it('and the comparison succeed after a person is erased, whose fields can no longer be opened', async () => {
    successful(await server.send('DELETE', `/users/${traced.userId}/personal-data`));
    expect(foundIn(bytesUnder(bundle), traced.canaries)).toEqual([]);
    const later = join(temporaryDirectory(), 'later');
    expect(await audit('export', later)).toMatchObject({ code: 0 });
    expect(foundIn(bytesUnder(later), traced.canaries)).toEqual([]);
    expect(await audit('replay', '--all', '--compare')).toMatchObject({ code: 0 });
    const { out } = await audit('replay', '--profile', traced.profileId);
    expect(out).toMatch(/ANALYSING -> APPROVED/);
    expect(out).not.toContain('reason:');
  });
});

describe('audit with wrong arguments', () => {
  it.each([
    ['replay'],
    ['replay', '--all'],
    ['replay', '--compare'],
    ['replay', '--all', '--compare', '--profile', UNKNOWN_ID],
    ['replay', '--all', '--compare', '--asOf', '2026-11-22T15:00:00Z'],
    ['replay', '--everything'],
    ['replay', '--profile'],
    ['export'],
  ])('explains its arguments: %s %s', async (...args) => {
    const { code, out, err } = await audit(...args.filter((word) => word !== undefined));
    expect([code, out]).toEqual([1, '']);
    expect(err.trim()).toMatch(/^\S.*/);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('lists the commands if the name is unknown', async () => {
    const { code, err } = await audit('rewind');
    expect([code, err]).toEqual([1, expect.stringMatching(/audit replay .*audit export .*audit prove /s)]);
  });
});
