// Provides the sets of engines that a service runs on, and reads them beside the service: the log as its engine stores
// it, and the read models.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, onTestFinished } from 'vitest';
import { allPersonalPaths, allUpcasters } from '../../src/domain/all.js';
import type { Opaque } from '../../src/http/route/opaque.js';
import { toPosition } from '../../src/infrastructure/facts/eventstoredb/events.js';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { Keyring } from '../../src/infrastructure/sealing/keyring.js';
import {
  type MasterKeys,
  newMasterKey,
  parseMasterKey,
  providedMasterKeys,
} from '../../src/infrastructure/sealing/master-key.js';
import { MasterKeyFile } from '../../src/infrastructure/sealing/master-key-file.js';
import { SealedFacts } from '../../src/infrastructure/sealing/sealed-facts.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { expectStoresAsFresh } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { EngineSet, noEngineSet } from '../support/engine-set.js';
import type { EventStoreDbProcess } from '../support/eventstoredb/process.js';
import type { StoredEvent } from '../support/eventstoredb/records.js';
import { opaqueIn, opaqueWith } from '../support/opaque.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

/** An event as an engine stores it. The response that acknowledged it has its sealed position as Consistency-Token. */
export interface Logged extends Omit<RecordedEvent, 'data'> {
  readonly data: Readonly<Record<string, unknown>>;
}

/** A started set with data of its own. */
export interface Engines {
  /** Where the embedded engines, if any, keep their data. */
  readonly directory: string;
  /** The variables that make a process of the service use it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logged: () => readonly Logged[];
  /** Returns the seal that a service on this set uses for positions. */
  readonly opaque: () => Promise<Opaque>;
  /** Opens the log and the read models beside the service. They are closed with the test. */
  readonly stores: () => { readonly facts: Facts; readonly views: Views };
}

/** A kind of set. */
export interface SetOfEngines {
  readonly name: string;
  /** The reason why the set is unavailable here; undefined if it is available. */
  readonly missing: () => string | undefined;
  /** Starts a set that ends with the test. */
  readonly start: () => Promise<Engines>;
}

const embedded: SetOfEngines = {
  name: 'the embedded engines',
  missing: () => undefined,
  start: async () => {
    const directory = temporaryDirectory();
    return {
      directory,
      environment: { DATA_DIR: directory },
      logged: () =>
        recordedIn(directory).map((event) => ({ ...event, position: `${event.position}`.padStart(16, '0') })),
      opaque: () => opaqueIn(directory),
      stores: () =>
        closedWithTest({
          facts: new SqliteFacts(directory),
          views: new SqliteViews(directory),
          vault: new SqliteVault(directory),
          masterKeys: new MasterKeyFile(join(directory, 'master.key')),
        }),
    };
  },
};

const real: SetOfEngines = {
  name: 'the distributed engines',
  missing: noEngineSet,
  start: async () => {
    const set = await EngineSet.start();
    onTestFinished(() => set.end());
    return enginesOf(set);
  },
};

export const sets: readonly SetOfEngines[] = [embedded, real];

/** Declares tests on the distributed engines. If they are unavailable, one skipped test says why. */
export const onRealSet = (name: string, declare: () => void): void => {
  const reason = noEngineSet();
  if (reason === undefined) describe(name, declare);
  else it(name, ({ skip }) => skip(reason));
};

/** Returns a real set as `Engines`; `facts` replaces its EventStoreDB. */
export const enginesOf = (set: EngineSet, facts?: Pick<EventStoreDbProcess, 'url' | 'log'>): Engines => {
  const directory = temporaryDirectory();
  const environment = { ...set.environment, ...(facts && { EVENTSTORE_URL: facts.url }) };
  return {
    directory,
    environment: { ...environment, DATA_DIR: directory },
    logged: () => loggedOf(facts?.log ?? set.facts.store.log),
    opaque: async () => {
      const { facts, views, vault, masterKeys } = storesOf(environment);
      try {
        return await opaqueWith(vault, masterKeys);
      } finally {
        for (const store of [views, vault, facts]) await store.close();
      }
    },
    stores: () => closedWithTest(storesOf(environment)),
  };
};

const storesOf = ({ EVENTSTORE_URL, MONGODB_URL, MASTER_KEY }: EngineSet['environment']): Opened => {
  const connection = new MongoConnection(MONGODB_URL);
  return {
    // The deadline is long, so that no test fails on a busy machine.
    facts: new EventStoreDbFacts(EVENTSTORE_URL, { deadlineMs: 60_000 }),
    views: new MongoViews(connection),
    vault: new MongoVault(connection),
    masterKeys: providedMasterKeys([parseMasterKey(MASTER_KEY) ?? newMasterKey()]),
  };
};

interface Opened {
  readonly facts: Facts;
  readonly views: Views;
  readonly vault: Vault;
  readonly masterKeys: MasterKeys;
}

/** Opens the log with readable personal fields, as the service reads it. The stores are closed with the test. */
const closedWithTest = ({ facts: stored, views, vault, masterKeys }: Opened): ReturnType<Engines['stores']> => {
  const watch = { withoutKey: () => {}, tampered: () => {}, damaged: () => {} };
  const keyring = new Keyring(vault, masterKeys);
  const facts = new SealedFacts(stored, {
    keyring,
    format: new StoreFormat(vault),
    watch,
    personal: allPersonalPaths,
    upcasters: allUpcasters,
  });
  onTestFinished(async () => {
    for (const store of [views, vault, facts]) await store.close();
  });
  return { facts, views };
};

/** Returns the service's own events in an EventStoreDB. */
export const loggedOf = (log: readonly StoredEvent[]): readonly Logged[] =>
  log
    .filter(({ stream, type }) => !stream.startsWith('$') && !type.startsWith('$'))
    .map(({ id, type, stream, revision, position, data, metadata }) => ({
      ...{ id, type, stream, revision },
      position: toPosition({ commit: BigInt(position), prepare: BigInt(position) }),
      data: JSON.parse(data.toString('utf8')),
      metadata: JSON.parse(metadata.toString('utf8')),
    }));

/** Expects the read models, once they have caught up, to equal a replay of the log into an empty store. */
export const expectReadModelsAsFresh = async ({ stores }: Engines): Promise<void> => {
  const { facts, views } = stores();
  await expectStoresAsFresh(facts, views);
};

// Standard error goes to a file, so that the last lines of a killed process are not lost.
const TO_FILE = 'exec 2>>"$ERRORS"; exec "$0" "$@"';

/** The service on a set, whose standard error is kept. */
export class WatchedServer extends Server {
  readonly #errors: string;

  constructor({ directory, environment }: Engines, more: Readonly<Record<string, string>> = {}) {
    const errors = join(temporaryDirectory(), 'stderr');
    super(directory, { ...environment, ...more, ERRORS: errors }, ['sh', '-c', TO_FILE]);
    this.#errors = errors;
  }

  /** Returns the errors that the service did not catch: text on standard error, and fatal lines of the log. */
  get uncaught(): readonly unknown[] {
    const text = readFileSync(this.#errors, 'utf8');
    return [...(text === '' ? [] : [text]), ...this.log.filter(({ level }) => level === 60)];
  }
}

/** Starts the service on a set. The service ends with the test. */
export const startedOn = async (
  engines: Engines,
  more: Readonly<Record<string, string>> = {},
): Promise<WatchedServer> => {
  const server = new WatchedServer(engines, more);
  onTestFinished(() => server.stop().then(() => undefined));
  await server.start();
  return server;
};
