// The audit log as a transparency log (C2SP tlog-tiles): what its clients read, and how readings are recorded.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/infrastructure/canonical-json.js';
import { leafHash, rootHash } from '../../src/transparency/merkle.js';
import {
  isSignedBy,
  type LogCheckpoint,
  parsedCheckpoint,
  parsedNote,
  verifierOf,
} from '../../src/transparency/note.js';
import { fromBytes, hashesFrom } from '../../src/transparency/tiles.js';
import { eventually } from '../support/eventually.js';
import { sendRaw } from '../support/raw-http.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { successful } from './support/samples.js';

const server = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
let administrator: Caller;
let auditor: Caller;

const get = (path: string, headers: Record<string, string> = {}) =>
  server.get<string>(`/audit/log${path}`, { ...auditor.authorization, ...headers });
const text = async (path: string) => successful(await get(path)).body;

/** Resolves to the bytes of a tile. */
const bytes = async (path: string) => {
  const response = await fetch(`${server.url}/audit/log/tile/${path}`, { headers: auditor.authorization });
  expect([path, response.status]).toEqual([path, 200]);
  return Buffer.from(await response.arrayBuffer());
};

const checkpoint = async (): Promise<LogCheckpoint & { readonly note: string }> => {
  const note = await text('/checkpoint');
  const parsed = parsedCheckpoint(parsedNote(note)?.text ?? '');
  if (parsed === undefined) throw new Error(`no checkpoint: ${note}`);
  return { ...parsed, note };
};

/** Resolves to a checkpoint that covers everything that was recorded before. */
const coveringAll = async () => {
  const { length } = await server.recorded();
  return eventually(async () => {
    const current = await checkpoint();
    expect(current.size).toBeGreaterThanOrEqual(length);
    return current;
  });
};

const leavesIn = (bundle: Buffer): readonly Buffer[] => {
  const leaves: Buffer[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 + bundle.readUInt16BE(at);
    leaves.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return leaves;
};

const readingsOfEntries = async () =>
  (await server.recorded()).filter(({ type, data }) => type === 'AuditTrailRead' && data['what'] === 'entries');

describe('before the first event, the audit log', () => {
  it('has no key', async () => {
    expectProblem(await server.get('/audit/log/key'), 404, 'log-not-signed');
  });
});

describe('the audit log', () => {
  beforeAll(async () => {
    administrator = await newAdministrator(server);
    auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
    for (let count = 0; count < 270; count += 1) {
      successful(await server.post('/specialties', { name: `Specialty ${count}` }, administrator.authorization));
    }
    await coveringAll();
  });

  it('has a checkpoint, signed with the key that everybody may read', async () => {
    const key = await server.get<string>('/audit/log/key');
    expect(key.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(key.body).toMatch(/^localhost\/audit\/log\+[\da-f]{8}\+\S+\n$/);
    const verifier = verifierOf(key.body.trim());
    const note = parsedNote((await checkpoint()).note);
    expect(note && verifier && isSignedBy(note, verifier)).toBe(true);
  });

  it('has clients revalidate the checkpoint by its ETag', async () => {
    const { headers } = successful(await get('/checkpoint'));
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect((await get('/checkpoint', { 'If-None-Match': `${headers.get('etag')}` })).status).toBe(304);
  });

  it('has tiles with the hashes of its entries, and a checkpoint with the root of its tiles', async () => {
    const { size, root } = await coveringAll();
    const last = size - 256;
    const leaves = [...leavesIn(await bytes('entries/000')), ...leavesIn(await bytes(`entries/001.p/${last}`))];
    expect(leaves).toHaveLength(size);
    const hashes = [...fromBytes(await bytes('0/000')), ...fromBytes(await bytes(`0/001.p/${last}`))];
    expect(hashes).toEqual(leaves.map(leafHash));
    const read = async (level: number, index: number) => {
      const width = level === 0 ? [256, last][index] : 1;
      return fromBytes(await bytes(`${level}/00${index}${width === 256 ? '' : `.p/${width}`}`));
    };
    expect(
      await rootHash(
        size,
        hashesFrom(({ level, index }) => read(level, index)),
      ),
    ).toEqual(root);
  });

  it('has an entry with the hash of each event as it is stored', async () => {
    const events = await server.recorded();
    const [first] = leavesIn(await bytes('entries/000.p/1')).map((leaf) => JSON.parse(leaf.toString()));
    const { id, type, stream, data } = events[0] ?? {};
    const payloadSha256 = createHash('sha256').update(canonicalJson(data)).digest('hex');
    expect(first).toMatchObject({ v: 1, id, type, stream, revision: 0, payloadSha256 });
  });

  it('still serves the partial tiles of a full tile', async () => {
    const whole = await bytes('0/000');
    expect(whole).toHaveLength(256 * 32);
    expect(await bytes('0/000.p/3')).toEqual(whole.subarray(0, 3 * 32));
    expect(await bytes('0/000.p/255')).toEqual(whole.subarray(0, 255 * 32));
    expect(await bytes('1/000.p/1')).toHaveLength(32);
    expect(leavesIn(await bytes('entries/000.p/3'))).toEqual(leavesIn(await bytes('entries/000')).slice(0, 3));
  });

  it('lets clients keep tiles only with revalidation, because a new log has other tiles at the same paths', async () => {
    for (const path of ['/tile/0/000', '/tile/0/000.p/1', '/tile/entries/000', '/tile/entries/000.p/1']) {
      const { headers } = successful(await get(path));
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect((await get(path, { 'If-None-Match': `${headers.get('etag')}` })).status).toBe(304);
    }
  });

  // test/transparency/tile-format.test.ts has the paths of C2SP tlog-tiles.
  it.each([
    ...['/0/0', '/6/000', '/-1/000', '/data/000', '/entries/000.p/256', '/0/%2e%2e/000', '/1/000', '/5/000'],
    ...['/0/002', '/0/002.p/1', '/0/001', '/entries/002', '/0/x999/x999/x999/x999/999'],
  ])('has no tile at %s', async (path) => {
    const { status, body } = await get(`/tile${path}`);
    expect([status, body]).toEqual([404, expect.objectContaining({ status: 404 })]);
  });

  it('has nothing at a path with a dot segment', async () => {
    const head = `GET /audit/log/tile/0/../0/000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${auditor.token}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(server.url, head)).status).toBe(404);
  });

  it('lists its keys for auditors', async () => {
    const { body } = successful(await get('/keys'));
    const verifierKey = (await server.get<string>('/audit/log/key')).body.trim();
    expect(body).toEqual({
      items: [{ origin: 'localhost/audit/log', verifierKey, madeAt: expect.any(String), signs: true }],
    });
  });
});

describe('reading the audit log', () => {
  it('is recorded once an hour for each session if it reads entries, and never otherwise', async () => {
    const other = await newCaller(server, administrator, { type: 'AUDITOR' });
    const before = await readingsOfEntries();
    for (const path of ['/checkpoint', '/key', '/keys', '/tile/0/000', '/tile/0/000.p/1']) {
      successful(await server.get(`/audit/log${path}`, other.authorization));
    }
    expect(await readingsOfEntries()).toEqual(before);
    const readByTwo = ['/tile/entries/000', '/tile/entries/000.p/1', '/tile/entries/000'];
    await Promise.all(readByTwo.map((path) => server.get(`/audit/log${path}`, other.authorization)));
    // An hour may have ended meanwhile.
    const added = (await readingsOfEntries()).slice(before.length);
    expect(added.length === 1 || added.length === 2).toBe(true);
    expect(added[0]?.metadata.actor).toMatchObject({ id: other.user.id, roles: ['AUDITOR'] });
  });

  it('is not recorded if the bundle does not exist', async () => {
    const other = await newCaller(server, administrator, { type: 'AUDITOR' });
    const before = await readingsOfEntries();
    expectProblem(await server.get('/audit/log/tile/entries/x999/999', other.authorization), 404, 'tile-not-found');
    expect(await readingsOfEntries()).toEqual(before);
  });
});

describe('a caller who is not an auditor', () => {
  it.each(['/checkpoint', '/keys', '/tile/0/000', '/tile/entries/000', '/tile/nonsense'])(
    'cannot read %s',
    async (path) => {
      const response = await server.get(`/audit/log${path}`);
      expect([401, 404]).toContain(response.status);
      if (path !== '/tile/nonsense') {
        expectProblem(response, 401, 'sign-in-required');
        expectProblem(await server.get(`/audit/log${path}`, administrator.authorization), 403, 'not-allowed');
      }
    },
  );
});
