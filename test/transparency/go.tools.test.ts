// Tests that Go programs, which share no code with the service, can verify its audit log over HTTP (test/go).
import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parsedCheckpoint, verifierKey } from '../../src/transparency/note.js';
import { type Caller, newAdministrator, newCaller } from '../http/support/callers.js';
import { successful } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { compileGo, noGo } from '../support/go.js';
import { startGoWitness } from '../support/go-witness.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { inOrder } from '../verifier/support/hand-made-log.js';
import { verifier } from '../verifier/support/verifier.js';

const NAME = 'a Go program';
const none = noGo('walk') ?? noGo('witness');

interface Walked {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly older: number;
  readonly entries: readonly string[];
}

const suite = () => {
  const server = embeddedServiceOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  let walk: string;
  let administrator: Caller;
  let auditor: Caller;
  let key: string;
  let older: string;

  const checkpoint = async () =>
    successful(await server.get<string>('/audit/log/checkpoint', auditor.authorization)).body;
  const sizeOf = (note: string) => parsedCheckpoint(note)?.size ?? 0;
  const post = async () =>
    successful(
      await server.post('/specialties', { name: `Specialty ${crypto.randomUUID()}` }, administrator.authorization),
    );
  const record = async (events: number) => {
    for (let n = 0; n < events; n += 1) await post();
    const { length } = await server.recorded();
    await eventually(async () => expect(sizeOf(await checkpoint())).toBeGreaterThanOrEqual(length));
  };

  /** Runs the program `walk` on the log at an address. Rejects if the log does not verify. */
  const walked = async (given: readonly string[] = [], { url = server.url, logKey = key } = {}) => {
    const options = ['-log', `${url}/audit/log/`, '-key', logKey, ...given];
    const how = { env: { ...process.env, TOKEN: auditor.token }, maxBuffer: 64_000_000 };
    return JSON.parse((await promisify(execFile)(walk, options, how)).stdout) as Walked;
  };
  const fileOf = (text: string): string => {
    const file = join(temporaryDirectory(), 'checkpoint');
    writeFileSync(file, text);
    return file;
  };

  /** Starts a proxy that changes one byte of some responses. Returns its address. */
  const altering = async (isAltered: (path: string) => boolean): Promise<string> => {
    const proxy = createServer(async ({ url = '', headers }, response) => {
      const forwarded = await fetch(`${server.url}${url}`, { headers: { authorization: headers.authorization ?? '' } });
      const bytes = Buffer.from(await forwarded.arrayBuffer());
      const middle = bytes.length >> 1;
      if (isAltered(url)) bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
      response.writeHead(forwarded.status).end(bytes);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  };

  beforeAll(async () => {
    walk = compileGo('walk');
    administrator = await newAdministrator(server);
    auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
    await record(300);
    key = (await server.get<string>('/audit/log/key')).body.trim();
    older = await checkpoint();
    await record(300);
  });

  it('reads the whole log and finds every event in the documented form', async () => {
    const { origin, size, entries, older: none } = await walked();
    expect([origin, none]).toEqual(['localhost/audit/log', 0]);
    expect(size).toBeGreaterThan(2 * 256);
    const recorded = (await server.recorded()).slice(0, size).map(({ stream, revision, id, type, data, metadata }) => {
      const payloadSha256 = createHash('sha256').update(inOrder(data)).digest('hex');
      return inOrder({ v: 1, stream, revision, id, type, metadata, payloadSha256 });
    });
    expect(entries).toEqual(recorded);
  });

  it('verifies that the log begins with an older checkpoint', async () => {
    const found = await walked(['-older', fileOf(older)]);
    expect(found.older).toBe(sizeOf(older));
    expect(found.size).toBeGreaterThan(found.older);
  });

  it.each([
    ['a full tile of entries', '/tile/entries/000'],
    ['the last tile of entries', '/tile/entries/002.p/'],
    ['a full tile of hashes', '/tile/0/001'],
    ['the last tile of hashes', '/tile/0/002.p/'],
    ['hashes above', '/tile/1/000.p/'],
    ['the checkpoint', '/checkpoint'],
  ])('rejects a log with one byte of %s altered', async (_, part) => {
    const url = await altering((path) => path.startsWith(`/audit/log${part}`));
    await expect(walked([], { url })).rejects.toMatchObject({ code: 1 });
    await expect(walked([], { url: await altering(() => false) })).resolves.toMatchObject({ older: 0 });
  });

  it('rejects another key, and an older checkpoint that the log did not sign', async () => {
    const another = verifierKey('localhost/audit/log', generateKeyPairSync('ed25519').publicKey);
    await expect(walked([], { logKey: another })).rejects.toMatchObject({ code: 1 });
    const altered = older.replace(`\n${sizeOf(older)}\n`, `\n${sizeOf(older) - 1}\n`);
    await expect(walked(['-older', fileOf(altered)])).rejects.toMatchObject({ code: 1 });
  });

  it('verifies that the log begins with a copy that the operator printed, and a Go witness cosigns both', async () => {
    const witness = await startGoWitness(key);
    const trust = { keys: [key], witnesses: [witness.key] };
    const cosigned = async () => {
      await post();
      const { length } = await server.recorded();
      // A worker asks when it starts, and then once a minute.
      await server.restart({ WITNESSES: `${witness.key} ${witness.url}` });
      await eventually(async () => {
        const { size, info } = await verifier.verifyCheckpoint(await checkpoint(), trust);
        expect([size >= length, info[1]]).toEqual([true, expect.stringContaining('cosigned by witness.example.org')]);
      });
    };
    await cosigned();
    const { out } = await server.runCli(['audit', 'checkpoint']);
    await cosigned();
    const found = await walked(['-older', fileOf(out)]);
    expect(found.older).toBeLessThan(found.size);
  });
};

if (none === undefined) describe(NAME, suite);
else it(NAME, ({ skip }) => skip(none));
