// Provides a log with events of every aggregate and several kept checkpoints. Each worker of vitest records the log
// once. Tests get copies on both engines and may alter them without the service.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { aggregates } from '../../src/domain/all.js';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { type Facts, logPages, type RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { EventRow } from '../../src/infrastructure/facts/sqlite/log.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Keyring } from '../../src/infrastructure/sealing/keyring.js';
import { MasterKeyFile } from '../../src/infrastructure/sealing/master-key-file.js';
import { SealedFacts } from '../../src/infrastructure/sealing/sealed-facts.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { integrityFaults } from '../../src/infrastructure/sqlite/integrity.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { type Proof, type ProveOptions, prove } from '../../src/transparency/prove.js';
import { LogRecords } from '../../src/transparency/records.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { Listener, personal } from '../infrastructure/sealing/support/harness.js';
import { Historian } from '../projections/history.js';
import { Directories, temporaryDirectory } from '../support/directory.js';
import { fromLine, toLine } from '../support/eventstoredb/records.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { uuidOf } from '../support/specification.js';
import { growerOf, growToEnd, serviceKey } from './grower.suite.js';

/** An event as an engine stores it, without its place in the log. */
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

/** Provides the logs of an engine. */
export interface Engine {
  readonly name: string;
  /** Returns a copy of the log after its second checkpoint, or at its end. */
  copy(moment: Moment): Promise<SignedLog>;
}

export type Moment = 'early' | 'late';

// All files of a worker share its modules, so the logs exist longer than one file.
const lasting = new Directories();
process.once('exit', () => lasting.remove());
const FACTS = { sqlite: 'facts.sqlite', eventStoreDb: 'log.jsonl' };
const VAULT = 'vault.sqlite';

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

interface Recorded {
  readonly facts: Facts;
  readonly stored: Facts;
  readonly vault: Vault;
}

/** Records some hundred events. Calls `onMoment` at each of the two moments. */
const record = async ({ facts, stored, vault }: Recorded, onMoment: (moment: Moment) => void): Promise<void> => {
  const historian = await new Historian(facts, 7).record(100);
  for (const { stream, event } of RARE) await facts.append(stream, 'no-stream', [event]);
  await keepCheckpoint({ facts: stored, vault }, '2026-01-05');
  await historian.record(100);
  await keepCheckpoint({ facts: stored, vault }, '2026-01-06');
  onMoment('early');
  await historian.record(100);
  await keepCheckpoint({ facts: stored, vault }, '2026-01-07');
  await historian.record(100);
  await growToEnd(growerOf({ facts: stored, vault }));
  onMoment('late');
};

type Made = Readonly<Record<Moment, string>>;

const recordOnSqlite = async (): Promise<Made> => {
  const [directory, made] = [lasting.make(), { early: lasting.make(), late: lasting.make() }];
  const [stored, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const keyring = new Keyring(vault, new MasterKeyFile(join(directory, 'master.key')));
  const stamp = { format: new StoreFormat(vault), watch: new Listener() };
  const sealing = { keyring, personal, upcasters: new Map(), ...stamp };
  const copyOf = (file: string, moment: Moment) => {
    const db = new Database(join(directory, file));
    db.exec(`VACUUM INTO '${join(made[moment], file)}'`);
    db.close();
  };
  await record({ facts: new SealedFacts(stored, sealing), stored, vault }, (moment) => {
    for (const file of [FACTS.sqlite, VAULT]) copyOf(file, moment);
  });
  await Promise.all([stored.close(), vault.close()]);
  return made;
};

/** Appends the events of the log on SQLite to EventStoreDB, and grows the tree there. */
const recordOnEventStoreDb = async (): Promise<Made> => {
  const [source, made] = [await sqliteLog(), { early: lasting.make(), late: lasting.make() }];
  const directory = lasting.make();
  const server = new EventStoreDbServer({ directory });
  await server.start();
  const facts = new EventStoreDbFacts(server.url, { deadlineMs: 60_000 });
  const vault = new SqliteVault(directory);
  for (const moment of ['early', 'late'] as const) {
    await copyEvents(source[moment], facts);
    await keepCheckpoint({ facts, vault }, moment === 'early' ? '2026-01-06' : '2026-01-07');
    cpSync(join(directory, FACTS.eventStoreDb), join(made[moment], FACTS.eventStoreDb));
    const db = new Database(join(directory, VAULT));
    db.exec(`VACUUM INTO '${join(made[moment], VAULT)}'`);
    db.close();
  }
  await Promise.all([facts.close(), vault.close()]);
  await server.stop();
  return made;
};

/** Appends the events of a log on SQLite that another log does not have yet. */
const copyEvents = async (from: string, to: Facts): Promise<void> => {
  const source = new SqliteFacts(from);
  const known = (await eventsOf(to)).length;
  for (const { stream, revision, id, type, data, metadata } of (await eventsOf(source)).slice(known)) {
    await to.append(stream, revision === 0 ? 'no-stream' : revision - 1, [{ id, type, data, metadata }]);
  }
  await source.close();
};

const eventsOf = async (facts: Facts): Promise<readonly RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const { events } of logPages(facts, { aggregates, after: undefined })) all.push(...events);
  return all;
};

let onSqlite: Promise<Made> | undefined;
let onEventStoreDb: Promise<Made> | undefined;
const sqliteLog = () => {
  onSqlite ??= recordOnSqlite();
  return onSqlite;
};
const eventStoreDbLog = () => {
  onEventStoreDb ??= recordOnEventStoreDb();
  return onEventStoreDb;
};

const onVault = (directory: string, statement: string): void => {
  const db = new Database(join(directory, VAULT));
  db.exec(statement);
  db.close();
};

const rowsOf = (db: Database) => db.prepare<[], Row>('SELECT * FROM events ORDER BY position').all();

const rewriteSqlite = (directory: string, change: (rows: readonly Row[]) => readonly Row[]): void => {
  const db = new Database(join(directory, FACTS.sqlite));
  const rows = change(rowsOf(db));
  db.exec('DELETE FROM events');
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const [at, { stream, revision, id, type, data, metadata }] of rows.entries()) {
    insert.run(at + 1, stream, revision, id, type, data, metadata);
  }
  db.close();
};

const rewriteEventStoreDb = (directory: string, change: (rows: readonly Row[]) => readonly Row[]): void => {
  const file = join(directory, FACTS.eventStoreDb);
  const all = readFileSync(file, 'utf8').trimEnd().split('\n').map(fromLine);
  const [own, events] = [
    all.filter(({ type }) => type.startsWith('$')),
    all.filter(({ type }) => !type.startsWith('$')),
  ];
  const rows = events.map(({ data, metadata, ...rest }) => ({ ...rest, data: `${data}`, metadata: `${metadata}` }));
  const last = all.at(-1)?.position ?? 0;
  const written = change(rows).map((row, at) => ({
    ...{ contentType: 'application/json', created: Date.now() },
    ...row,
    position: events[at]?.position ?? last + 1_000 * (at + 1 - events.length),
    data: Buffer.from(row.data),
    metadata: Buffer.from(row.metadata),
  }));
  writeFileSync(file, [...own, ...written].map(toLine).join(''));
};

const proveOn = async (facts: Facts, directory: string, options: ProveOptions, files: readonly string[]) => {
  const vault = new SqliteVault(directory);
  const integrity = async () => {
    const found = [];
    for (const name of files) {
      const file = join(directory, name);
      found.push(...integrityFaults(name === FACTS.sqlite ? { file, aggregates } : { file }));
    }
    return found;
  };
  try {
    return await prove({ sealedFacts: facts, vault, serviceKey }, { integrity, ...options });
  } finally {
    await Promise.all([facts.close(), vault.close()]);
  }
};

const appended = async (facts: Facts, count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1) {
    await facts.append(`specialty-${uuidOf(9_000 + at)}`, 'no-stream', [
      { ...newEvent({ at }), type: 'SpecialtyCreated' },
    ]);
  }
};

const copyInto = (directory: string, from: string, names: readonly string[]): void => {
  for (const name of names) cpSync(join(from, name), join(directory, name));
};

export const sqlite: Engine = {
  name: 'SQLite',
  copy: async (moment) => {
    const directory = temporaryDirectory();
    copyInto(directory, (await sqliteLog())[moment], [FACTS.sqlite, VAULT]);
    return {
      directory,
      rewrite: (change) => rewriteSqlite(directory, change),
      editVault: (statement) => onVault(directory, statement),
      rollBack: (older, files) =>
        copyInto(
          directory,
          older.directory,
          files.map((file) => `${file}.sqlite`),
        ),
      append: async (count) => {
        const facts = new SqliteFacts(directory);
        await appended(facts, count);
        await facts.close();
      },
      prove: async (options = {}) => proveOn(new SqliteFacts(directory), directory, options, [FACTS.sqlite, VAULT]),
    };
  },
};

export const eventStoreDb: Engine = {
  name: 'EventStoreDB',
  copy: async (moment) => {
    const directory = temporaryDirectory();
    copyInto(directory, (await eventStoreDbLog())[moment], [FACTS.eventStoreDb, VAULT]);
    const opened = async () => {
      const server = new EventStoreDbServer({ directory });
      await server.start();
      onTestFinished(() => server.stop());
      return new EventStoreDbFacts(server.url, { deadlineMs: 60_000 });
    };
    const nameOf = (file: 'facts' | 'vault') => (file === 'facts' ? FACTS.eventStoreDb : VAULT);
    return {
      directory,
      rewrite: (change) => rewriteEventStoreDb(directory, change),
      editVault: (statement) => onVault(directory, statement),
      rollBack: (older, files) => copyInto(directory, older.directory, files.map(nameOf)),
      append: async (count) => {
        const facts = await opened();
        await appended(facts, count);
        await facts.close();
      },
      prove: async (options = {}) => proveOn(await opened(), directory, options, [VAULT]),
    };
  },
};
