// Checks that the log stays readable forever: the files of every release open, verify and give the same responses.
// `npm run release:record` adds a release.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allUpcasters } from '../../src/domain/all.js';
import { upcastPayload } from '../../src/infrastructure/facts/upcast.js';
import { trySignIn } from '../http/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const releases = readdirSync(here, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

const RESPONSES = 'responses.json.gz';
const LOG = '/audit/events?limit=200';

/** An event as the audit trail shows it. */
interface Entry {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/** The audit trail shows events of older schema versions in the current shape. */
const current = (entry: Entry): Entry => {
  const upcasters = allUpcasters.get(entry.type) ?? [];
  const data = upcastPayload(upcasters, entry.schemaVersion, entry.data);
  return { ...entry, schemaVersion: upcasters.length + 1, data };
};

const unzipped = (...path: readonly string[]): Buffer => gunzipSync(readFileSync(join(here, ...path)));

const responsesOf = (release: string) =>
  Object.entries(JSON.parse(unzipped(release, RESPONSES).toString()) as Record<string, { items: readonly unknown[] }>);

/** Writes a release's files into a new directory. */
const unpacked = (release: string): string => {
  const directory = temporaryDirectory();
  for (const file of readdirSync(join(here, release)).filter((name) => name !== RESPONSES)) {
    writeFileSync(join(directory, file.replace(/\.gz$/, '')), unzipped(release, file), { mode: 0o600 });
  }
  return directory;
};

const started = async (directory: string): Promise<Server> => {
  const server = new Server(directory);
  await server.start();
  onTestFinished(async () => void (await server.stop()));
  return server;
};

const expectSameResponses = async (server: Server, release: string): Promise<void> => {
  for (const [path, recorded] of responsesOf(release)) {
    const { body } = await server.get<typeof recorded>(path);
    // Later versions may add fields, and reading the log records that it was read.
    const now = path === LOG ? { items: body.items.slice(0, recorded.items.length) } : body;
    expect(now, path).toMatchObject(
      path === LOG ? { items: (recorded.items as readonly Entry[]).map(current) } : recorded,
    );
  }
};

// No version is released yet: the first will be 1.0.0.
it('are there for exactly the versions that the changelog calls released', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const versions = [...changelog.matchAll(/^## (\S+) - (\S+)/gm)].map(([, version, date]) => ({ version, date }));
  expect(versions.length).toBeGreaterThan(0);
  const released = versions.filter(({ date }) => date !== 'unreleased').map(({ version }) => version);
  expect(releases).toEqual(released.toSorted());
});

describe.each(releases)('the files of release %s', (release) => {
  it('give the same responses', async () => expectSameResponses(await started(unpacked(release)), release));

  it('give the same responses after the read models are rebuilt', async () => {
    const fresh = unpacked(release);
    rmSync(join(fresh, 'views.sqlite'));
    await expectSameResponses(await started(fresh), release);
  });

  it('let their users sign in with their passwords', async () => {
    const server = await started(unpacked(release));
    expect((await trySignIn(server, 'admin@hospital.example')).status).toBe(200);
    expect((await trySignIn(server, 'admin@hospital.example', 'another password')).status).toBe(401);
  });

  it('pass verify after the service has used them', async () => {
    const used = unpacked(release);
    const server = new Server(used);
    await server.start();
    await server.stop();
    const { code, out } = await runCli(used, 'verify');
    expect({ code, out }).toMatchObject({ code: 0 });
  });
});
