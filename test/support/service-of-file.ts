// Provides the service that a file of HTTP tests calls, on the engines that its project (vitest.config.ts) names.
import { afterAll, beforeAll, beforeEach, inject, test } from 'vitest';
import type { Opaque } from '../../src/http/route/opaque.js';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import { Directories } from './directory.js';
import { opaqueIn } from './opaque.js';
import { messagesIn } from './outbox.js';
import { type ProgramResult, run } from './process.js';
import { RealService } from './real-service.js';
import { headOf, recordedIn } from './recorded.js';
import { Server } from './server.js';
import type { Fact, OwnedService, Service } from './service.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The engines that a project runs the HTTP tests on. Absent for the embedded engines. */
    readonly engines: 'real' | undefined;
  }
}

type Environment = Readonly<Record<string, string>>;

class EmbeddedService extends Server implements OwnedService {
  readonly #directories: Directories;
  #opaque: Promise<Opaque> | undefined;

  constructor(environment: Environment) {
    const directories = new Directories();
    super(directories.make(), environment);
    this.#directories = directories;
  }

  runCli(command: readonly string[], input?: string): Promise<ProgramResult> {
    return run('cli', { environment: { DATA_DIR: this.directory }, arguments: command, input });
  }

  async recorded(stream?: string): Promise<readonly Fact[]> {
    return recordedIn(this.directory, stream);
  }

  outbox(): readonly Message[] {
    return messagesIn(this.directory);
  }

  async head(): Promise<string | undefined> {
    return headOf(this.directory);
  }

  opaque(): Promise<Opaque> {
    this.#opaque ??= opaqueIn(this.directory);
    return this.#opaque;
  }

  async beginTest(): Promise<void> {
    // There is only one process, so there is nothing to switch to.
  }

  async end(): Promise<void> {
    await this.kill();
    this.#directories.remove();
  }
}

const newService = (environment: Environment = {}, ofAll: Environment = {}): OwnedService =>
  inject('engines') === 'real'
    ? new RealService(environment, ofAll)
    : new EmbeddedService({ ...ofAll, ...environment });

let shared: OwnedService | undefined;
const theShared = (): OwnedService => {
  shared ??= newService({ TRUSTED_PROXIES: 'loopback' });
  return shared;
};

let files = 0;
/** Returns an address that no earlier file of the worker used, from the block for benchmarks (RFC 2544). */
const newAddress = (): string => {
  files += 1;
  return `198.18.${files >> 8}.${files & 255}`;
};

// A vitest fixture with worker scope. The first file that uses it starts the service; the end of the worker ends the
// service.
const inWorker = test.extend<{ readonly running: Service }>({
  running: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the needed fixtures from the pattern.
    async ({}, use) => {
      const service = theShared();
      await service.start();
      await use(service);
      await service.end();
    },
    { scope: 'worker' },
  ],
});

/**
 * Returns the service for all files that a worker of vitest runs. Its stores hold data of earlier files, so a test
 * reads only what it created itself. A test that stops the service starts it again. The requests of each file come from
 * a different address, so that codes and failed sign-ins of other files do not count.
 */
export const sharedService = (): Service => {
  const service = theShared();
  inWorker.beforeAll(({ running }) => void running);
  beforeAll(() => {
    service.headers = { 'X-Forwarded-For': newAddress() };
  });
  beforeEach(() => service.beginTest());
  return service;
};

const ofThisFile = <S extends OwnedService>(service: S): S => {
  beforeAll(() => service.start());
  beforeEach(() => service.beginTest());
  afterAll(() => service.end());
  return service;
};

/**
 * Returns a new service for one file that needs empty stores or environment variables. The http processes get
 * `environment`, and all processes `ofAll`. On the distributed engines the service has four processes beside its engines.
 */
export const serverOfThisFile = (environment: Environment = {}, ofAll: Environment = {}): Service =>
  ofThisFile(newService(environment, ofAll));

/** Returns a new embedded service for tests that read its files. The project `real` leaves these tests out. */
export const embeddedServiceOfThisFile = (environment: Environment = {}): EmbeddedService =>
  ofThisFile(new EmbeddedService(environment));
