// Fills and frees the disk of a server while it runs, without root privileges.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInstitution, numbered, type Page, type Protocol, successful } from '../http/support/samples.js';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { Server } from '../support/server.js';
import { expectUnavailable } from './support/responses.js';

interface Readiness {
  readonly status: string;
  readonly faults?: readonly { readonly code: string }[];
}

/** A disk for the data of a server. */
interface Disk {
  readonly what: string;
  /** The reason why the disk is unavailable here; undefined if it is available. */
  readonly missing: () => string | undefined;
  readonly newServer: () => Server;
  /** Makes every later write to the disk fail. */
  readonly fill: (server: Server) => void;
  readonly free: (server: Server) => void;
}

const succeeds = (command: string, ...given: string[]): boolean => spawnSync(command, given).status === 0;

// Node.js ignores SIGXFSZ, so a write beyond the limit fails with EFBIG, just as a write to a full disk fails with
// ENOSPC.
const limitFiles = ({ pid }: { readonly pid: number }, bytes: number | 'unlimited'): void => {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  if (status !== 0) throw new Error(`prlimit cannot set the limit: ${stderr}`);
};

const limited: Disk = {
  what: 'whose files have reached their size limit',
  missing: () =>
    succeeds('prlimit', '--pid', String(process.pid), '--fsize')
      ? undefined
      : 'prlimit, which limits the size of files, is not installed',
  newServer: () => new Server(temporaryDirectory()),
  fill: (server) => limitFiles(server, 1),
  free: (server) => limitFiles(server, 'unlimited'),
};

// The file system is in the server's own mount namespace and disappears with the server. /proc gives access to it.
const MOUNT = 'mount -t tmpfs -o size=8m none "$DATA_DIR"';
const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];
const fillerOf = ({ pid, directory }: Server) => join(`/proc/${pid}/root`, directory, 'filler');

const small: Disk = {
  what: 'on a full file system',
  missing: () => {
    const [command = '', ...given] = [...inNamespace, MOUNT];
    const tried = spawnSync(command, given, { env: { ...process.env, DATA_DIR: temporaryDirectory() } });
    return tried.status === 0 ? undefined : 'this user may not mount a file system in a mount namespace';
  },
  newServer: () => new Server(temporaryDirectory(), {}, [...inNamespace, `${MOUNT} && exec "$0" "$@"`]),
  fill: (server) => {
    for (let bytes = 8 * 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) appendTo(fillerOf(server), bytes);
  },
  free: (server) => rmSync(fillerOf(server)),
};

const appendTo = (file: string, bytes: number): void => {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
};

/** Returns the names of all protocols once the list includes every write that returned one of these tokens. */
const namesOnceListed = async (server: Server, tokens: readonly string[]): Promise<string[]> => {
  for (const token of tokens) successful(await server.get('/protocols?limit=1', { 'Consistency-Token': token }));
  const { body } = successful(await server.get<Page<Protocol>>('/protocols?limit=200'));
  return body.items.map(({ name }) => name);
};

/** Returns the status of `/readyz`, what it says, and the codes of its faults. */
const faultsOf = async (server: Server) => {
  const { status, body } = await server.get<Readiness>('/readyz');
  return [status, body.status, body.faults?.map(({ code }) => code) ?? []];
};

/** Sends concurrent writes, some with an Idempotency-Key, and keeps the outcome of each. */
class Writer {
  readonly #server: Server;
  readonly #institutionId: string;
  readonly stored: string[] = [];
  readonly refused: string[] = [];
  /** The Consistency-Tokens of the stored writes. */
  readonly tokens: string[] = [];

  constructor(server: Server, institutionId: string) {
    this.#server = server;
    this.#institutionId = institutionId;
  }

  /** Sends a write for each name. Returns how many were stored. */
  async send(names: readonly string[]): Promise<number> {
    const responses = await Promise.all(names.map((name) => this.#post(name)));
    return responses.filter(({ status }) => status === 201).length;
  }

  async #post(name: string): Promise<ClientResponse<Protocol>> {
    const headers = name.endsWith('0') ? { 'Idempotency-Key': name } : {};
    const sent = { institutionId: this.#institutionId, name, prompt: 'x'.repeat(20_000) };
    const response = await this.#server.post<Protocol>('/protocols', sent, headers);
    if (response.status === 201) {
      this.stored.push(name);
      this.tokens.push(`${response.headers.get('consistency-token')}`);
    } else {
      expectUnavailable(response);
      this.refused.push(name);
    }
    return response;
  }
}

describe.each([limited, small])('a service $what', ({ missing, newServer, fill, free }) => {
  it('refuses writes that it cannot store, loses no stored write, and recovers when there is space again', async (test) => {
    const reason = missing();
    test.skip(reason !== undefined, reason);
    const server = newServer();
    await server.start();
    onTestFinished(() => server.stop().then(() => undefined));
    const writer = new Writer(server, (await createInstitution(server)).id);
    expect(await writer.send(numbered(20, (n) => `Before ${n}`))).toBe(20);

    fill(server);
    for (let round = 1; writer.refused.length < 20; round += 1) {
      await writer.send(numbered(20, (n) => `Meanwhile ${round}.${n}`));
    }
    expect((await server.get('/livez')).status).toBe(200);
    expect((await server.get('/protocols')).status).toBe(200);
    const degraded = [200, 'degraded', expect.arrayContaining(['log-unwritable'])];
    await eventually(async () => expect(await faultsOf(server)).toEqual(degraded));

    free(server);
    await eventually(async () => expect(await writer.send(['First after'])).toBe(1));
    expect(await writer.send(numbered(20, (n) => `After ${n}`))).toBe(20);
    await eventually(async () => expect(await faultsOf(server)).toEqual([200, 'ready', []]));
    const names = await namesOnceListed(server, writer.tokens);
    expect(names.toSorted()).toEqual(writer.stored.toSorted());

    const keyed = writer.refused.filter((name) => name.endsWith('0'));
    expect(keyed).not.toEqual([]);
    for (let time = 1; time <= 2; time += 1) expect(await writer.send(keyed)).toBe(keyed.length);
    expect((await namesOnceListed(server, writer.tokens)).toSorted()).toEqual([...new Set(writer.stored)].toSorted());
  });
});
