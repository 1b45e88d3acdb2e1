// Provides a log with events of every aggregate and several kept checkpoints. Each worker of vitest records the log
// once. Tests get copies and may alter them without the service.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { aggregates } from '../../../src/domain/all.js';
import type { Facts } from '../../../src/infrastructure/facts/facts.js';
import type { EventRow } from '../../../src/infrastructure/facts/sqlite/log.js';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { Keyring } from '../../../src/infrastructure/keys/keyring.js';
import { MasterKeyFile } from '../../../src/infrastructure/keys/master-key-file.js';
import { SealedFacts } from '../../../src/infrastructure/persons/sealed-facts.js';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { integrityFaults } from '../../../src/infrastructure/sqlite/integrity.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../../src/infrastructure/vault/store-format.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import { type Proof, type ProveOptions, prove } from '../../../src/transparency/prove.js';
import { LogRecords } from '../../../src/transparency/records.js';
import { newEvent } from '../../infrastructure/facts/support/harness.js';
import { Listener, personal } from '../../infrastructure/persons/support/harness.js';
import { Historian } from '../../projections/support/history.js';
import { Directories, temporaryDirectory } from '../../support/directory.js';
import { uuidOf } from '../../support/specification.js';
import { growerOf, growToEnd, serviceKey } from './growing.js';

/** An event as SQLite stores it, without its place in the log. */
export type Row = Omit<EventRow, 'position'>;

/** A log that no process has open. */
export interface SignedLog {
  readonly directory: string;
  /** Replaces the stored events. */
  rewrite(change: (rows: readonly Row[]) => readonly Row[]): void;
  /** Runs a statement on the file of the vault. */
  editVault(statement: string): void;
  /** Replaces the facts, the vault or both with those of an older copy. */
  rollBack(older: SignedLog, files: readonly ('facts' | 'vault')[]): void;
  /** Appends events, as the service does. */
  append(count: number): Promise<void>;
  prove(options?: ProveOptions): Promise<Proof>;
}

/** The log after its second checkpoint, or at its end. */
export type Moment = 'early' | 'late';

// All files of a worker share its modules, so the logs exist longer than one file.
const lasting = new Directories();
process.once('exit', () => lasting.remove());
const FILES = ['facts.sqlite', 'vault.sqlite'] as const;

/** Grows the tree to the end of the log, and keeps the checkpoint of a day. */
const keepCheckpoint = async (stores: { readonly facts: Facts; readonly vault: Vault }, day: string): Promise<void> => {
  await growToEnd(growerOf(stores));
  const records = new LogRecords(stores.vault);
  const signed = (await records.state())?.signed;
  if (signed) await records.keep(1, day, { ...signed, at: `${day}T00:00:01.000Z` });
};

const rare = (stream: string, type: string) => ({ stream, event: { ...newEvent({ what: 'events' }), type } });
const RARE = [
  rare(`auditRead-${uuidOf(1)}`, 'AuditTrailRead'),
  rare(`auditLog-${uuidOf(4)}`, 'AuditLogStarted'),
  rare(`securityLog-${uuidOf(3)}`, 'SignInFailed'),
];

/** Records some hundred events, and copies the files of the stores at each of the two moments. */
const recordedLog = async (): Promise<Readonly<Record<Moment, string>>> => {
  const [directory, made] = [lasting.make(), { early: lasting.make(), late: lasting.make() }];
  const [stored, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const keyring = new Keyring(vault, new MasterKeyFile(join(directory, 'master.key')));
  const stamp = { format: new StoreFormat(vault), watch: new Listener() };
  const facts = new SealedFacts(stored, { keyring, personal, upcasters: new Map(), ...stamp });
  const stores = { facts: stored, vault };
  const copy = (moment: Moment) => {
    for (const file of FILES) changeFile(directory, file, (db) => db.exec(`VACUUM INTO '${join(made[moment], file)}'`));
  };
  const historian = await new Historian(facts, 7).record(100);
  for (const { stream, event } of RARE) await facts.append(stream, 'no-stream', [event]);
  await keepCheckpoint(stores, '2026-01-05');
  await historian.record(100);
  await keepCheckpoint(stores, '2026-01-06');
  copy('early');
  await historian.record(100);
  await keepCheckpoint(stores, '2026-01-07');
  await historian.record(100);
  await growToEnd(growerOf(stores));
  copy('late');
  await Promise.all([stored.close(), vault.close()]);
  return made;
};

let recorded: ReturnType<typeof recordedLog> | undefined;

const changeFile = (directory: string, file: (typeof FILES)[number], change: (db: Database) => unknown): void => {
  const db = new Database(join(directory, file));
  change(db);
  db.close();
};

const rewrite = (db: Database, change: (rows: readonly Row[]) => readonly Row[]): void => {
  const rows = change(db.prepare<[], Row>('SELECT * FROM events ORDER BY position').all());
  db.exec('DELETE FROM events');
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const [at, { stream, revision, id, type, data, metadata }] of rows.entries()) {
    insert.run(at + 1, stream, revision, id, type, data, metadata);
  }
};

const proveIn = async (directory: string, options: ProveOptions): Promise<Proof> => {
  const [sealedFacts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const integrity = async () => [
    ...integrityFaults({ file: join(directory, 'facts.sqlite'), aggregates }),
    ...integrityFaults({ file: join(directory, 'vault.sqlite') }),
  ];
  try {
    return await prove({ sealedFacts, vault, serviceKey }, { integrity, ...options });
  } finally {
    await Promise.all([sealedFacts.close(), vault.close()]);
  }
};

const append = async (directory: string, count: number): Promise<void> => {
  const facts = new SqliteFacts(directory);
  for (let at = 0; at < count; at += 1) {
    const event = { ...newEvent({ at }), type: 'SpecialtyCreated' };
    await facts.append(`specialty-${uuidOf(9_000 + at)}`, 'no-stream', [event]);
  }
  await facts.close();
};

/** Returns a copy of the log. */
export const copyOfLog = async (moment: Moment): Promise<SignedLog> => {
  const directory = temporaryDirectory();
  recorded ??= recordedLog();
  const source = (await recorded)[moment];
  for (const file of FILES) copyFileSync(join(source, file), join(directory, file));
  return {
    directory,
    rewrite: (change) => changeFile(directory, 'facts.sqlite', (db) => rewrite(db, change)),
    editVault: (statement) => changeFile(directory, 'vault.sqlite', (db) => db.exec(statement)),
    rollBack: (older, files) => {
      for (const file of files)
        copyFileSync(join(older.directory, `${file}.sqlite`), join(directory, `${file}.sqlite`));
    },
    append: (count) => append(directory, count),
    prove: (options = {}) => proveIn(directory, options),
  };
};
