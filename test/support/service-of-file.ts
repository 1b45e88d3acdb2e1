// The service that a file of HTTP tests talks to, on the engines that its project (vitest.config.ts) names.
import { afterAll, beforeAll, inject } from 'vitest';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import { temporaryDirectory } from './directory.js';
import { messagesIn } from './outbox.js';
import { type Ended, run } from './process.js';
import { realServiceOfThisFile } from './real-service.js';
import { headOf, recordedIn } from './recorded.js';
import { Server } from './server.js';
import type { Fact, Service } from './service.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The engines that a project runs the HTTP tests on; absent for the embedded ones. */
    readonly engines: 'real' | undefined;
  }
}

type Environment = Readonly<Record<string, string>>;

/** One service for all tests of the file that this is called in; what answers requests has this in its environment. */
export const serverOfThisFile = (environment: Environment = {}): Service =>
  inject('engines') === 'real' ? realServiceOfThisFile(environment) : embeddedServiceOfThisFile(environment);

class EmbeddedService extends Server implements Service {
  operate(command: readonly string[], input?: string): Promise<Ended> {
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
}

/** The embedded service, for tests that look into its files; the project of the real engines leaves them out. */
export const embeddedServiceOfThisFile = (environment: Environment = {}): EmbeddedService => {
  const server = new EmbeddedService(temporaryDirectory(), environment);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};
