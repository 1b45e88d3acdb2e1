// Checks that the log stays readable forever: the files of every release open, verify and give the same responses. The
// present version is recorded and checked in the same way, and `npm run release:record` keeps what it recorded.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { allDeciders, allUpcasters } from '../../src/domain/all.js';
import { upcastPayload } from '../../src/infrastructure/facts/upcast.js';
import { trySignIn } from '../http/support/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { live, type Responses, responsesOf } from '../support/life.js';
import { runCli } from '../support/process.js';
import { startServer } from '../support/processes.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const fileAt = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const foldersIn = (directory: string) =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

const RESPONSES = 'responses.json.gz';
const LOG = '/audit/events?limit=200';
const isKept = process.env['RECORD'] !== undefined;
const present = join(
  isKept ? here : temporaryDirectory(),
  (JSON.parse(fileAt('package.json')) as { version: string }).version,
);
const releases = [...foldersIn(here).map((name) => join(here, name)), present];

/** What is recorded beside the files of the stores. */
interface Recording {
  readonly email: string;
  readonly responses: Responses;
}

beforeAll(async () => {
  const server = new Server(temporaryDirectory(), { REAPPROVAL: 'on' });
  await server.start();
  const email = await live(server);
  const recording: Recording = { email, responses: await responsesOf(server) };
  await server.stop();
  mkdirSync(present);
  const zip = (name: string, bytes: string | Buffer) => writeFileSync(join(present, `${name}.gz`), gzipSync(bytes));
  zip('responses.json', JSON.stringify(recording));
  for (const name of readdirSync(server.directory)) {
    const file = join(server.directory, name);
    if (statSync(file).isFile() && !/-(wal|shm)$|^owner\./.test(name)) zip(name, readFileSync(file));
  }
});

const unzipped = (release: string, file: string): Buffer => gunzipSync(readFileSync(join(release, file)));
const recordingOf = (release: string) => JSON.parse(`${unzipped(release, RESPONSES)}`) as Recording;

/** Writes a release's files into a new directory. */
const unpacked = (release: string): string => {
  const directory = temporaryDirectory();
  for (const file of readdirSync(release).filter((name) => name !== RESPONSES)) {
    writeFileSync(join(directory, file.replace(/\.gz$/, '')), unzipped(release, file), { mode: 0o600 });
  }
  return directory;
};

/** An event as the audit trail shows it. */
interface Entry {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/** Returns an event in its current shape, as the audit trail shows events of older schema versions. */
const current = (entry: Entry): Entry => {
  const upcasters = allUpcasters.get(entry.type) ?? [];
  const data = upcastPayload(upcasters, entry.schemaVersion, entry.data);
  return { ...entry, schemaVersion: upcasters.length + 1, data };
};

const expectSameResponses = async (directory: string, { responses }: Recording): Promise<void> => {
  const server = await startServer(directory, 'all');
  for (const [path, recorded] of Object.entries(responses)) {
    const { body } = await server.get<typeof recorded>(path);
    const items = recorded.items ?? [];
    // Later versions may add fields, and reading the log records that it was read.
    const isLog = path === LOG;
    const expected = isLog ? { items: (items as readonly Entry[]).map(current) } : recorded;
    expect(isLog ? { items: body.items?.slice(0, items.length) } : body, path).toMatchObject(expected);
  }
};

describe('the recorded releases', () => {
  // No version is released yet: the first will be 1.0.0.
  it('are those that the changelog calls released', () => {
    const versions = [...fileAt('CHANGELOG.md').matchAll(/^## (\S+) - (\S+)/gm)];
    expect(versions.length).toBeGreaterThan(0);
    const released = versions.flatMap(([, version, date]) => (date === 'unreleased' ? [] : [version]));
    expect(foldersIn(here)).toEqual(released.toSorted());
  });

  it('have an event of every type', () => {
    const recorded = new Set(recordedIn(unpacked(present)).map(({ type }) => type));
    const types = allDeciders.flatMap(({ events }) => Object.keys(events));
    // Only the page of the queues records these, and the embedded engine has no such page.
    const ofQueues = ['AuditLogFailedJobRetried', 'AuditLogFailedJobRemoved'];
    const missing = types.filter((type) => !recorded.has(type));
    expect(missing, 'test/support/life.ts must make requests that record every event').toEqual(ofQueues);
  });
});

describe.each(releases.map((release) => [basename(release), release] as const))('the files of %s', (_, release) => {
  it('give the same responses, also after the read models are rebuilt', async () => {
    const [directory, rebuilt] = [unpacked(release), temporaryDirectory()];
    cpSync(directory, rebuilt, { recursive: true });
    rmSync(join(rebuilt, 'views.sqlite'));
    await expectSameResponses(directory, recordingOf(release));
    await expectSameResponses(rebuilt, recordingOf(release));
  });

  it('let their users sign in with their passwords, and pass verify after the service has used them', async () => {
    const server = await startServer(unpacked(release), 'all');
    const { email } = recordingOf(release);
    expect((await trySignIn(server, email)).status).toBe(200);
    expect((await trySignIn(server, email, 'another password')).status).toBe(401);
    await server.stop();
    const { code, out } = await runCli(server.directory, 'verify');
    expect({ code, out }).toMatchObject({ code: 0 });
  });
});
