// Provides the engines that a service runs on, and reads their stores beside the service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.js';
import type { RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import type { AllStores } from '../../../src/infrastructure/stores.js';
import { openStores } from '../../../src/stores.js';
import { eventsIn, expectStoresAsFresh } from '../../projections/support/replay.js';
import { temporaryDirectory } from '../../support/directory.js';
import type { EngineSet } from '../../support/engine-set.js';
import { Server } from '../../support/server.js';

/** The engines of one service. */
export interface Engines {
  /** Where the embedded engines, if any, keep their data. */
  readonly directory: string;
  /** The variables that make a process of the service use these engines. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An event as an engine stores it, its personal fields sealed. */
export interface Logged extends RecordedEvent {
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the embedded engines in a new directory. */
export const embeddedEngines = (): Engines => enginesWith({});

/** Returns the engines of a distributed set. If `factsUrl` is given, it replaces the EventStoreDB of the set. */
export const enginesOf = ({ environment }: EngineSet, factsUrl = environment.EVENTSTORE_URL): Engines =>
  enginesWith({ ...environment, EVENTSTORE_URL: factsUrl });

const enginesWith = (environment: Engines['environment']): Engines => {
  const directory = temporaryDirectory();
  return { directory, environment: { ...environment, DATA_DIR: directory } };
};

/** Opens the stores beside the service, and closes them after `use`. */
export const withStores = async <T>({ environment }: Engines, use: (stores: AllStores) => Promise<T>): Promise<T> => {
  const sealing = { withoutKey: () => {}, tampered: () => {}, damaged: () => {} };
  const stores = await openStores(readConfig(environment), { onError: () => {}, sealing });
  return use(stores).finally(() => stores.close());
};

/** Returns every event of the service as its engine stores it. */
export const loggedIn = async ({ sealedFacts }: Pick<AllStores, 'sealedFacts'>): Promise<readonly Logged[]> =>
  (await eventsIn(sealedFacts)).map((event) => ({ ...event, data: event.data as Logged['data'] }));

/** Expects the read models, once they have caught up, to equal a replay of the log into an empty store. */
export const expectReadModelsAsFresh = (engines: Engines): Promise<void> =>
  withStores(engines, ({ facts, views }) => expectStoresAsFresh(facts, views));

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
export const startedOn = async (engines: Engines): Promise<WatchedServer> => {
  const server = new WatchedServer(engines);
  onTestFinished(() => server.stop().then(() => undefined));
  await server.start();
  return server;
};
