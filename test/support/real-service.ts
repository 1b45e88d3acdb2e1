// The service on EventStoreDB, MongoDB and Redis, or what stands in for them: two http processes, and two workers, one of
// which is killed on the way.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import { Beside } from './beside.js';
import { Client } from './client.js';
import { temporaryDirectory } from './directory.js';
import { EnginesOfFile, type EngineUrls } from './engines-of-file.js';
import { eventually } from './eventually.js';
import { messagesIn } from './outbox.js';
import { type Ended, run, WorkerProcess } from './process.js';
import { type LogLine, Server } from './server.js';
import type { Fact, Service } from './service.js';

type Environment = Readonly<Record<string, string>>;

interface Ready {
  readonly projections: readonly { readonly name: string; readonly position: string | null }[];
}

/** What is there while it runs. */
interface Processes {
  readonly http: readonly [Server, Server];
  readonly workers: readonly WorkerProcess[];
  readonly beside: Beside;
}

/** A client of the service that stays with one of its http processes until it is told to change over. */
export class RealService extends Client implements Service {
  readonly #urls: () => EngineUrls;
  readonly #ofHttp: Environment;
  #starting: Promise<Processes> | undefined;
  #processes: Processes | undefined;
  #at: 0 | 1 = 0;

  /** `ofHttp` is the environment of its http processes beside the engines. */
  constructor(urls: () => EngineUrls, ofHttp: Environment = {}) {
    super(() => this.url);
    this.#urls = urls;
    this.#ofHttp = ofHttp;
  }

  /** Its http processes. */
  get http(): readonly [Server, Server] {
    return this.#running.http;
  }

  get url(): string {
    return this.http[this.#at].url;
  }

  get log(): readonly LogLine[] {
    return this.http.flatMap(({ log }) => log);
  }

  /** Starts all of its processes; after a stop, the http processes: the workers go on meanwhile. */
  async start(): Promise<void> {
    if (this.#processes !== undefined) await Promise.all(this.http.map((server) => server.start()));
    this.#starting ??= startAll(this.#urls(), this.#ofHttp);
    this.#processes = await this.#starting;
  }

  async stop(): Promise<number | null> {
    const [one, other] = await Promise.all(this.http.map((server) => server.stop()));
    return one === 0 ? (other ?? null) : (one ?? null);
  }

  async kill(): Promise<void> {
    await Promise.all(this.http.map((server) => server.kill()));
  }

  async restart(more: Environment = {}): Promise<void> {
    await this.stop();
    await Promise.all(this.http.map((server) => server.restart(more)));
  }

  operate(command: readonly string[], input?: string): Promise<Ended> {
    const environment = { ...this.#urls(), DATA_DIR: temporaryDirectory() };
    return run('cli', { environment, arguments: command, input });
  }

  recorded(stream?: string): Promise<readonly Fact[]> {
    return this.#running.beside.recorded(stream);
  }

  /** Those of its workers, also of one that was killed. */
  outbox(): readonly Message[] {
    return messagesIn(...this.#running.workers.map(({ directory }) => directory));
  }

  head(): Promise<string | undefined> {
    return this.#running.beside.head();
  }

  /** Goes on with the other http process, once the read models have all that was written: it knows of no own writes. */
  async changeOver(): Promise<void> {
    this.#at = this.#at === 0 ? 1 : 0;
    const head = (await this.head()) ?? '';
    await eventually(async () => {
      const { projections } = (await this.get<Ready>('/readyz')).body;
      const behind = projections.filter(({ position }) => (position ?? '') < head);
      if (behind.length > 0) throw new Error(`${behind.map(({ name }) => name)} did not come to ${head}`);
    });
  }

  /** A worker that leads a projection: its end is felt. */
  leadingWorker(): Promise<WorkerProcess> {
    const { beside, workers } = this.#running;
    return eventually(async () => {
      const leaders = [...(await beside.leaders()).values()];
      const leading = workers.find(({ pid }) => leaders.includes(pid));
      if (leading === undefined) throw new Error('no worker leads a projection');
      return leading;
    });
  }

  /** Resolves when workers that live lead every projection. */
  async takenOver(): Promise<void> {
    const { beside, workers } = this.#running;
    await eventually(async () => {
      const living = workers.filter(({ hasEnded }) => !hasEnded).map(({ pid }) => pid);
      for (const [projection, leader] of await beside.leaders()) {
        if (!living.some((pid) => pid === leader)) throw new Error(`nobody who lives leads ${projection}`);
      }
    });
  }

  /** Ends everything, also where starting took longer than a test waits. */
  async end(): Promise<void> {
    const processes = await this.#starting;
    if (processes !== undefined) await endAll(processes);
  }

  get #running(): Processes {
    if (this.#processes === undefined) throw new Error('the service is not running');
    return this.#processes;
  }
}

// Where one does not start, none is left behind.
const startAll = async (urls: EngineUrls, ofHttp: Environment): Promise<Processes> => {
  const http = [newServer(urls, ofHttp), newServer(urls, ofHttp)] as const;
  const starting = [startWorker(urls), startWorker(urls)];
  const started = await Promise.allSettled([...starting, ...http.map((server) => server.start())]);
  const workers = (await Promise.allSettled(starting)).flatMap((worker) =>
    worker.status === 'fulfilled' ? [worker.value] : [],
  );
  const processes = { http, workers, beside: new Beside(urls) };
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return processes;
  await endAll(processes);
  throw failed.reason;
};

const endAll = async ({ http, workers, beside }: Processes): Promise<void> => {
  await beside.close();
  await Promise.all([...http.map((server) => server.stop()), ...workers.map((worker) => worker.kill())]);
};

const newServer = (urls: EngineUrls, ofHttp: Environment) =>
  new Server(temporaryDirectory(), { ...urls, ...ofHttp, ROLES: 'http' });
const startWorker = (urls: EngineUrls) => WorkerProcess.start(temporaryDirectory(), urls);

/**
 * One for all tests of the file that this is called in. The tests take turns with its http processes, and a worker is
 * killed before the second test.
 */
export const realServiceOfThisFile = (ofHttp: Environment = {}): RealService => {
  const engines = new EnginesOfFile();
  const service = new RealService(() => engines.urls, ofHttp);
  let begun = 0;
  beforeAll(() => service.start());
  beforeEach(async () => {
    begun += 1;
    if (begun === 2) {
      await (await service.leadingWorker()).kill();
      await service.takenOver();
    }
    await service.changeOver();
  });
  afterAll(() => service.end());
  return service;
};
