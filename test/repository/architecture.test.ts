// Tests the direction of imports and the purity of the domain.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/infrastructure/version.js';
import { circularIn, foldersAbove, tangleIn } from '../support/folders.js';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const IMPORT = /^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

interface File {
  readonly path: string;
  readonly text: string;
  /** Paths below src for our own files, package names for all others. */
  readonly imports: readonly string[];
}

const files: readonly File[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(src, path), 'utf8');
    const imports = [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => {
      const name = from ?? bare ?? dynamic ?? '';
      return name.startsWith('.') ? relative(src, resolve(src, dirname(path), name)).replace(/\.js$/, '.ts') : name;
    });
    return { path, text, imports };
  });

const layerOf = (path: string) => path.split('/')[0] ?? '';
const inLayer = (layer: string) => files.filter(({ path }) => layerOf(path) === layer);
// Upcasters, locks and the stamp of the stores work on any engine and select none.
const isEngine = (path: string) =>
  /^infrastructure\/(?!(?:sealed|keys|persons)\/)[\w-]+\/(?!(facts|upcast|views|vault|lock|store-format|work|rate-limits|notifier)\.ts$)/.test(
    path,
  );

/** Returns the imports of a layer that the layer is not allowed to have. */
const strays = (layer: string, allowed: (imported: string) => boolean) =>
  inLayer(layer).flatMap(({ path, imports }) =>
    imports.filter((name) => !allowed(name)).map((name) => `${path} -> ${name}`),
  );

/** Returns the imports that lead from a folder of a layer to a later folder in `order`. */
const upwards = (layer: string, order: readonly string[]) => {
  const rankOf = (path: string) => order.indexOf(path.split('/')[1] ?? '');
  return inLayer(layer)
    .filter(({ path }) => rankOf(path) >= 0)
    .flatMap(({ path, imports }) =>
      imports
        .filter((name) => layerOf(name) === layer && rankOf(name) > rankOf(path))
        .map((name) => `${path} -> ${name}`),
    );
};

const isOwn = (name: string) => files.some(({ path }) => path === name);
const isPort = (name: string) => layerOf(name) === 'infrastructure' && !isEngine(name);

/** The layers, each with the other layers that it may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  commands: ['domain'],
  auth: ['commands', 'domain'],
  projections: ['domain'],
  transparency: ['commands', 'domain'],
  audit: ['commands', 'projections', 'domain', 'transparency'],
  operations: ['transparency', 'auth', 'commands', 'projections', 'domain'],
  http: ['service.ts', 'audit', 'auth', 'commands', 'operations', 'projections', 'domain', 'transparency'],
};

describe('the direction of imports', () => {
  it.each(Object.entries(LAYERS))('lets %s import only itself, packages, the ports and %j', (layer, others) => {
    expect(inLayer(layer).length).toBeGreaterThan(1);
    const allowed = [layer, ...others];
    expect(strays(layer, (name) => !isOwn(name) || allowed.includes(layerOf(name)) || isPort(name))).toEqual([]);
  });

  it('lets the domain import only itself and zod', () =>
    expect(strays('domain', (name) => layerOf(name) === 'domain' || name === 'zod')).toEqual([]));

  it('lets the infrastructure import only itself', () =>
    expect(strays('infrastructure', (name) => !isOwn(name) || layerOf(name) === 'infrastructure')).toEqual([]));

  it('lets each folder of http import only the folders before it', () => {
    const order = ['problems', 'request', 'response', 'access', 'server', 'route', 'routes', 'pages', 'openapi'];
    const folders = inLayer('http').flatMap(({ path }) => path.split('/').slice(1, -1).slice(0, 1));
    expect([...new Set(folders)].sort()).toEqual([...order].sort());
    expect(upwards('http', order)).toEqual([]);
  });

  it('lets each room of encryption import only the rooms before it', () =>
    expect(upwards('infrastructure', ['sealed', 'keys', 'persons'])).toEqual([]));

  it('has no circles between folders', () => {
    const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
    const tangles = [...folders].map((folder) => [folder, tangleIn(folder, files)] as const);
    expect(Object.fromEntries(tangles.filter(([, members]) => members.length > 0))).toEqual({});
  });

  it('has no circles between files, not even of types', () => expect(circularIn(files)).toEqual([]));

  it('keeps http out of the service', () =>
    expect(files.find(({ path }) => path === 'service.ts')?.imports.filter((name) => layerOf(name) === 'http')).toEqual(
      [],
    ));

  it("prints nothing outside of the operator's tool", () =>
    expect(inLayer('operations').filter(({ text }) => /\bconsole\./.test(text))).toEqual([]));

  it("keeps http out of the operator's tool", () =>
    expect(strays('cli', (name) => layerOf(name) !== 'http')).toEqual([]));

  it('lets only the composition select engines', () => {
    const pickers = files.filter(({ path, imports }) => layerOf(path) !== 'infrastructure' && imports.some(isEngine));
    expect(pickers.map(({ path }) => path)).toEqual(['stores.ts']);
  });

  it('keeps Express in http and each client of an engine with its engine', () => {
    const using = (name: string) => files.filter(({ imports }) => imports.includes(name)).map(({ path }) => path);
    expect(using('express').filter((path) => layerOf(path) !== 'http')).toEqual([]);
    for (const client of ['@photostructure/sqlite', 'mongodb', 'bullmq', 'ioredis', 'nodemailer']) {
      expect(
        using(client).filter((path) => layerOf(path) !== 'infrastructure'),
        client,
      ).toEqual([]);
    }
    expect(using('@eventstore/db-client')).toEqual([
      'infrastructure/facts/eventstoredb/batch-append.ts',
      'infrastructure/facts/eventstoredb/client.ts',
      'infrastructure/facts/eventstoredb/connection.ts',
    ]);
  });

  it('keeps the private members of the client of EventStoreDB in one file, and the client at one version', () => {
    const privately = /#client\['|db-client\/dist\//;
    const users = files.filter(({ text }) => privately.test(text)).map(({ path }) => path);
    expect(users).toEqual(['infrastructure/facts/eventstoredb/client.ts']);
    expect(files.filter(({ text }) => text.includes('EventStoreDBClient')).map(({ path }) => path)).toEqual(users);
    const { dependencies } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8'));
    expect(dependencies['@eventstore/db-client']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('has the version of package.json, as have the lock file, the image, the documents and the console', () => {
    const textOf = (file: string) => readFileSync(join(src, '..', file), 'utf8');
    expect(JSON.parse(textOf('package.json'))).toMatchObject({ version: VERSION });
    expect(JSON.parse(textOf('console/package.json'))).toMatchObject({ version: VERSION });
    const packages = { '': { version: VERSION }, console: { version: VERSION } };
    expect(JSON.parse(textOf('package-lock.json'))).toMatchObject({ version: VERSION, packages });
    expect(textOf('CHANGELOG.md')).toContain(`## ${VERSION} - `);
    for (const file of ['docker-compose.yml', 'docker-compose.one.yml', 'docs/operations.md']) {
      expect(textOf(file).match(/clinical-protocols:\d\S*/g), file).toEqual([`clinical-protocols:${VERSION}`]);
    }
  });
});

describe('the purity of the domain', () => {
  /** Returns the lines of the domain that match, without comments and texts. */
  const linesWith = (impure: RegExp, domain: readonly Pick<File, 'path' | 'text'>[] = inLayer('domain')) =>
    domain.flatMap(({ path, text }) =>
      text
        .replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*|'(?:[^'\\\n]|\\.)*'/g, (removed) =>
          removed.replaceAll(/[^\n]/g, ' '),
        )
        .split('\n')
        .flatMap((line, index) => (impure.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );

  it('excludes clocks, randomness, input, output and waiting', () =>
    expect(linesWith(/\b(Date\.now|new Date\(\)|Math\.random|console\.|await |async |import\()/)).toEqual([]));

  // What Node.js adds to the language. Browsers have TextEncoder, too, and it is a pure function.
  const inLanguage = new Set<string>(runInNewContext('Object.getOwnPropertyNames(globalThis)'));
  const ofModules = ['require', 'module', 'exports', '__dirname', '__filename'];
  const added = [...Object.getOwnPropertyNames(globalThis), ...ofModules].filter(
    (name) => !inLanguage.has(name) && name !== 'TextEncoder' && /^\w+$/.test(name),
  );
  // Neither a member of an object nor the name of a field.
  const global = new RegExp(`(?<![.\\w$])(?:${added.join('|')})\\b(?!\\??:)`);

  it('excludes the globals of Node.js', () => {
    expect(added).toEqual(expect.arrayContaining(['Buffer', 'process', 'setTimeout', 'URL', 'performance', 'crypto']));
    expect(linesWith(global)).toEqual([]);
  });

  it.each(['Buffer.byteLength(text)', 'process.env', 'setTimeout(run, 1)', 'new URL(text)', '() => fetch(text)'])(
    'would find %s',
    (text) => expect(linesWith(global, [{ path: 'domain/some.ts', text }])).toHaveLength(1),
  );
});

describe('the wall clock', () => {
  // Where the source reads it, and how often. A new wait in the process uses `performance.now()`, and a new wait until a
  // stored instant uses `Waits`. Then its line is added to the second list.
  const NAMES_AN_INSTANT: Readonly<Record<string, number>> = {
    'auth/codes/deliveries.ts': 1,
    'auth/decisions/messages.ts': 1,
    'auth/decisions/promises.ts': 1,
    'auth/tokens/custom-tokens.ts': 1,
    'cli/audit.ts': 1,
    'cli/backup.ts': 1,
    'commands/ids.ts': 1,
    'commands/streams.ts': 1,
    'http/request/cookies.ts': 1,
    'http/route/reading.ts': 1,
    'http/routes/audit/readings.ts': 1,
    'http/routes/users/schemas.ts': 1,
    'infrastructure/notifier/outbox.ts': 1,
    'infrastructure/notifier/webhook.ts': 1,
    'infrastructure/sqlite/directory-lock.ts': 1,
    'infrastructure/vault/mongodb.ts': 2,
    'infrastructure/vault/sqlite-statements.ts': 4,
    'infrastructure/vault/sqlite.ts': 4,
    'metrics.ts': 1,
    'operations/upkeep.ts': 2,
    'operations/verify.ts': 1,
    'transparency/daily-proof.ts': 1,
    'transparency/grower.ts': 1,
    'transparency/growth.ts': 1,
    'transparency/keys.ts': 1,
    'transparency/log-commands.ts': 1,
  };
  const BOUNDS_A_WAIT: Readonly<Record<string, number>> = {
    'auth/codes/codes.ts': 1,
    'auth/relay.ts': 3,
    'auth/sessions/failures.ts': 1,
    'auth/sessions/sessions.ts': 1,
    'auth/tokens/access-tokens.ts': 1,
    'auth/tokens/signing-keys.ts': 1,
    'commands/claims.ts': 1,
    'http/access/access.ts': 1,
    'http/route/idempotency.ts': 4,
    'infrastructure/vault/lock.ts': 2,
    'infrastructure/views/sqlite/operations.ts': 1,
    'infrastructure/views/sqlite/views.ts': 1,
    'infrastructure/work/bullmq.ts': 2,
    'infrastructure/work/sqlite-statements.ts': 4,
    'infrastructure/work/sqlite.ts': 1,
    'transparency/records.ts': 2,
  };

  it('is read only where it names an instant, or where a wait has a bound of its own', () => {
    const counts = files.map(
      ({ path, text }) => [path, text.match(/\bDate\.now\b|\bnew Date\(\)/g)?.length ?? 0] as const,
    );
    const read = Object.fromEntries(counts.filter(([, count]) => count > 0));
    expect(read).toEqual({ ...NAMES_AN_INSTANT, ...BOUNDS_A_WAIT });
  });
});

describe('reads of the stores', () => {
  const callersOf = (call: RegExp) => files.filter(({ text }) => call.test(text)).map(({ path }) => path);
  const isOfPort = (path: string) => /^infrastructure\/(facts|views|vault)\//.test(path);

  // Every other file reads pages with `logPages`, `documentPages`, `listPages` or `pagesOfKind`.
  const READS_ONE_PAGE: Readonly<Record<string, string>> = {
    'auth/codes/waiting-messages.ts': 'counts the first messages',
    'auth/decisions/promises.ts': 'counts the first messages',
    'http/route/documents.ts': 'the newest document with some values',
    'http/route/reading.ts': 'the page that a request selects, and the next event of a read model',
    'http/route/turn.ts': 'passes calls on',
    'infrastructure/persons/sealed-facts.ts': 'passes calls on',
    'operations/reclaim.ts': 'whether there is another event',
    'operations/store-pair.ts': 'the first event, and whether two persons have keys',
    'projections/progress.ts': 'whether there is another event',
    'projections/unreadable-users.ts': 'counts the first users',
    'transparency/prove.ts': 'is read by the walker, and falls back to smaller pages',
  };

  it('go through the one loop over pages, unless they read one page', () => {
    const callers = callersOf(/\.(readLog|walk|ofKind)(<\w+>)?\(|[vV]iews\.list\(/).filter((path) => !isOfPort(path));
    expect(callers.sort()).toEqual(Object.keys(READS_ONE_PAGE).sort());
  });

  const GIVES_TURNS: Readonly<Record<string, string>> = {
    'http/response/sending.ts': 'sees in the next turn whether a part was taken',
    'infrastructure/facts/subscribe.ts': 'a subscription has no last page: it waits there for a bell',
    'infrastructure/pages.ts': 'the loop over pages',
    'infrastructure/turns.ts': 'the loop over the items of a page',
    'projections/progress.ts': 'learns nothing in the turn of a caller, who may share what was read in it',
  };

  it('leave it to that loop to give the event loop its turns', () =>
    expect(callersOf(/setImmediate as/).sort()).toEqual(Object.keys(GIVES_TURNS).sort()));
});

describe('the shape of the code', () => {
  it('has named exports only', () =>
    expect(files.filter(({ text }) => /^export default/m.test(text)).map(({ path }) => path)).toEqual([]));

  it('begins every file with a comment on its purpose', () =>
    expect(files.filter(({ text }) => !/^(#!.*\n)?\/\/ /.test(text)).map(({ path }) => path)).toEqual([]));
});
