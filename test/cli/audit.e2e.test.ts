// The operator's audit commands, run with the built tool beside a running service. Offline commands run without any
// store.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { type Traced, tracedPerson } from '../http/support/erased-person.js';
import { successful, UNKNOWN_ID } from '../http/support/samples.js';
import { bytesUnder, foundIn, valuesOf } from '../support/canaries.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run, runCli } from '../support/process.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { outputOf, refusalOf } from './support/tool.js';

const server = new Server(temporaryDirectory());
let traced: Traced;
const audit = (...args: readonly string[]) => outputOf(server.directory, 'audit', ...args);
const auditRefusal = (...args: readonly string[]) => refusalOf(server.directory, 'audit', ...args);

beforeAll(async () => {
  await server.start();
  traced = await tracedPerson(server);
  // The tool finds the user of a profile in the read model.
  await eventually(() => audit('replay', '--profile', traced.profileId));
});
afterAll(() => server.stop());

describe('audit replay --profile', () => {
  it('prints the history of a profile step by step, with type, time, actor, change of status and reason', async () => {
    const { userId, profileId, canaries } = traced;
    const out = await audit('replay', '--profile', profileId);
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
      for (const part of [metadata.at, type, `revision ${revision}\n`, 'by anonymous', transitions[index] ?? '']) {
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
    const asOf = (instant = '') => ['replay', '--profile', profileId, '--as-of', instant];
    const then = await audit(...asOf(rejected));
    expect(then).toContain('ANALYSING -> REJECTED');
    expect(then).not.toContain('REJECTED -> ANALYSING');
    expect(then.trimEnd().split('\n').at(-1)).toBe(`as of ${rejected}: REJECTED`);
    const before = new Date(Date.parse(added ?? '') - 1).toISOString();
    expect(await auditRefusal(...asOf(before))).toContain(before);
    expect(await auditRefusal(...asOf('2026-11-22'))).toMatch(/T\d\d:/);
  });

  it('reports an unknown profile', async () =>
    expect(await auditRefusal('replay', '--profile', UNKNOWN_ID)).toContain(UNKNOWN_ID));
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
    const { code, out, err } = await runCli(server.directory, 'audit', 'replay', '--all', '--compare');
    expect([code, err]).toEqual([1, expect.stringContaining('rebuild')]);
    expect(out.trimEnd().split('\n')).toEqual([
      `profiles ${profileId}: different`,
      `users ${userId}: different`,
      expect.stringMatching(/, 2 differ$/),
    ]);
    await outputOf(server.directory, 'projections', 'rebuild', 'users');
    await audit('replay', '--all', '--compare');
  });
});

describe('audit export', () => {
  const bundle = join(temporaryDirectory(), 'bundle');
  const manifestOf = () => JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as Record<string, unknown>;

  it('writes the whole log', async () => {
    const exported = await audit('export', bundle);
    const recorded = recordedIn(server.directory);
    expect(exported).toContain(`${recorded.length} events written to ${bundle}`);
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
    expect(await auditRefusal('export', bundle)).toContain('not empty');
    expect(readFileSync(join(bundle, 'manifest.json'), 'utf8')).toBe(before);
  });

  it('and the comparison succeed after a person is erased, whose fields can no longer be opened', async () => {
    successful(await server.send('DELETE', `/users/${traced.userId}/personal-data`));
    expect(foundIn(bytesUnder(bundle), traced.canaries)).toEqual([]);
    const later = join(temporaryDirectory(), 'later');
    await audit('export', later);
    expect(foundIn(bytesUnder(later), traced.canaries)).toEqual([]);
    await audit('replay', '--all', '--compare');
    const out = await audit('replay', '--profile', traced.profileId);
    expect(out).toMatch(/ANALYSING -> APPROVED/);
    expect(out).not.toContain('reason:');
  });
});

it.each([
  ['replay'],
  ['replay', '--all'],
  ['replay', '--compare'],
  ['replay', '--all', '--compare', '--profile', UNKNOWN_ID],
  ['replay', '--all', '--compare', '--as-of', '2026-11-22T15:00:00Z'],
])('audit %s %s explains its arguments', async (...args) => {
  await auditRefusal(...args.filter((word) => word !== undefined));
});
