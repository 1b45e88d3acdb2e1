// The keys of the audit log beside a running service: rotation, and a new log after a restore.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { logKeys } from '../../src/transparency/keys.js';
import { isSignedBy, parsedCheckpoint, parsedNote, verifierOf } from '../../src/transparency/note.js';
import { LogRecords } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { type Recorded, recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { outputOf, refusalOf } from './support/tool.js';

let specialties = 0;
const record = (server: Server) => {
  specialties += 1;
  return server.post('/specialties', { name: `Specialty ${specialties}` });
};

const checkpointOf = async (server: Server) => {
  const { body: note } = await server.get<string>('/audit/log/checkpoint');
  const checkpoint = parsedCheckpoint(parsedNote(note)?.text ?? '');
  if (checkpoint === undefined) throw new Error('the log has no checkpoint');
  return { ...checkpoint, note };
};

/** Resolves to the checkpoint that covers all recorded events. */
const checkpointOfAll = (server: Server) =>
  eventually(async () => {
    const checkpoint = await checkpointOf(server);
    expect(checkpoint.size).toBe(recordedIn(server.directory).length);
    return checkpoint;
  });

const keyOf = async (server: Server) => (await server.get<string>('/audit/log/key')).body.trim();
const holds = (note: string, key: string): boolean => {
  const [parsed, verifier] = [parsedNote(note), verifierOf(key)];
  return parsed !== undefined && verifier !== undefined && isSignedBy(parsed, verifier);
};
const inVault = async <T>(directory: string, look: (vault: SqliteVault) => Promise<T>): Promise<T> => {
  const vault = new SqliteVault(directory);
  return look(vault).finally(() => vault.close());
};
const recordsOf = ({ directory }: { readonly directory: string }, type: string): readonly Recorded[] =>
  recordedIn(directory).filter((event) => event.type === type);

describe('log-keys', () => {
  it('has no key to rotate before the first signing', async () => {
    const directory = temporaryDirectory();
    await outputOf(directory, 'signing-keys', 'rotate');
    expect(await outputOf(directory, 'log-keys', 'list')).toContain('no key yet');
    expect(await refusalOf(directory, 'log-keys', 'rotate')).toMatch(/^The audit log has no key yet/);
    expect(await refusalOf(directory, 'log-keys', 'new-log', '--reason', 'none')).toMatch(/^No audit log has started/);
    expect(recordedIn(directory)).toEqual([]);
  });
});

describe('a rotation', () => {
  const server = new Server(temporaryDirectory());
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  it('signs one checkpoint with both keys, and deletes the old private key', async () => {
    await record(server);
    const before = await checkpointOfAll(server);
    const oldKey = await keyOf(server);
    await outputOf(server.directory, 'log-keys', 'rotate');
    const newKey = await keyOf(server);
    expect(newKey).not.toBe(oldKey);
    const transitional = await eventually(async () => {
      const checkpoint = await checkpointOf(server);
      expect(holds(checkpoint.note, newKey)).toBe(true);
      return checkpoint;
    });
    expect(transitional.size).toBe(before.size + 1);
    expect(holds(transitional.note, oldKey)).toBe(true);
    await eventually(async () => {
      const keys = await inVault(server.directory, logKeys);
      expect(keys.map(({ verifierKey, sealed }) => [verifierKey, sealed !== null])).toEqual([
        [newKey, true],
        [oldKey, false],
      ]);
    });
    await record(server);
    const { note } = await checkpointOfAll(server);
    expect([oldKey, newKey].map((key) => holds(note, key))).toEqual([false, true]);

    const data = { origin: 'localhost/audit/log', previousKey: oldKey, key: newKey };
    expect(recordsOf(server, 'AuditLogKeyRotated')).toMatchObject([{ data, metadata: { actor: { id: 'operator' } } }]);
    const listed = await outputOf(server.directory, 'log-keys', 'list');
    expect(listed.split('\n').map((line) => line.split(/ {2}/))).toEqual([
      [newKey, expect.any(String), 'signs'],
      [oldKey, expect.any(String), 'verifies'],
      [''],
    ]);
    await outputOf(server.directory, 'audit', 'prove');
  });
});

describe('a new log', () => {
  const server = new Server(temporaryDirectory());
  const restored = new Server(temporaryDirectory());
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.stop();
    await restored.stop();
  });

  it('starts after a restore, and names the last checkpoint of the old log', { timeout: 120_000 }, async () => {
    await record(server);
    const atBackup = await checkpointOfAll(server);
    const oldKey = await keyOf(server);
    const backup = join(temporaryDirectory(), 'backup');
    await outputOf(server.directory, 'backup', backup);
    await record(server);
    const last = await checkpointOfAll(server);
    await server.stop();

    copyFileSync(join(server.directory, 'master.key'), join(restored.directory, 'master.key'));
    const out = await outputOf(restored.directory, 'restore', backup);
    expect(out).toMatch(/^the audit log is not signed until you start a new log: .* new-log/m);
    await restored.start();
    await record(restored);
    await record(restored);
    await eventually(async () => {
      const { status, body } = await restored.get('/readyz');
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: 'degraded', faults: [expect.objectContaining({ code: 'audit-held' })] });
    });
    expect((await checkpointOf(restored)).note).toBe(atBackup.note);

    const file = join(temporaryDirectory(), 'checkpoint');
    writeFileSync(file, last.note);
    const reason = 'The disk failed.';
    await outputOf(restored.directory, 'log-keys', 'new-log', '--reason', reason, '--checkpoint', file);
    const first = await eventually(async () => {
      const checkpoint = await checkpointOf(restored);
      expect(checkpoint.origin).toBe('localhost/audit/log/2');
      return checkpoint;
    });
    const newKey = await keyOf(restored);
    expect(first.size).toBe(recordedIn(restored.directory).length);
    expect([oldKey, newKey].map((key) => holds(first.note, key))).toEqual([false, true]);
    expect(holds(last.note, oldKey)).toBe(true);
    const [origin, previousOrigin] = ['localhost/audit/log/2', 'localhost/audit/log'];
    const data = { origin, reason, previousOrigin, previousCheckpoint: last.note };
    expect(recordsOf(restored, 'AuditLogStarted')).toMatchObject([{ data }]);
    const kept = await inVault(restored.directory, (vault) => new LogRecords(vault).kept());
    expect(kept.map(({ note }) => note)).toEqual(expect.arrayContaining([atBackup.note, last.note]));
    const keys = await inVault(restored.directory, logKeys);
    expect(keys.find(({ verifierKey }) => verifierKey === oldKey)?.sealed).toBeNull();
    await eventually(async () => expect((await restored.get('/readyz')).body).toMatchObject({ status: 'ready' }));
    await outputOf(restored.directory, 'audit', 'prove');
  });

  it('refuses a file without a checkpoint of the log, and does not hold the log', async () => {
    const file = join(temporaryDirectory(), 'checkpoint');
    writeFileSync(file, (await checkpointOf(restored)).note.replace('\n', '\nx'));
    const words = ['log-keys', 'new-log', '--reason', 'no', '--checkpoint', file];
    const refusal = await refusalOf(restored.directory, ...words);
    expect(refusal).toMatch(/^The file has no checkpoint of localhost\/audit\/log\/2/);
    await record(restored);
    await checkpointOfAll(restored);
  });

  it('keeps its name after a restart', async () => {
    await restored.restart();
    await record(restored);
    expect((await checkpointOfAll(restored)).origin).toBe('localhost/audit/log/2');
  });
});
