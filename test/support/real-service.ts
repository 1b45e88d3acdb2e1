// The service on EventStoreDB, MongoDB and Redis, or their stand-ins: two http processes, and two workers, one of which
// is killed before the second test.
import type { Opaque } from '../../src/http/route/opaque.js';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import { Client } from './client.js';
import { Directories, temporaryDirectory } from './directory.js';
import { Engines, type EngineUrls } from './engines-of-file.js';
import { eventually } from './eventually.js';
import { messagesIn } from './outbox.js';
import { type ProgramResult, run, WorkerProcess } from './process.js';
import { type LogLine, Server } from './server.js';
import type { Fact, OwnedService } from './service.js';
import { ServiceStores } from './service-stores.js';

type Environment = Readonly<Record<string, string>>;

/** The processes and stores of a running service. */
interface Processes {
  readonly http: readonly [Server, Server];
  readonly workers: readonly WorkerProcess[];
  readonly stores: ServiceStores;
}

/** A client of the service that calls one http process until the test switches to the other. */
export class RealService extends Client implements OwnedService {
  readonly #directories = new Directories();
  readonly #engines = new Engines(this.#directories);
  readonly #ofHttp: Environment;
  readonly #ofAll: Environment;
  #starting: Promise<Processes> | undefined;
  #processes: Processes | undefined;
  #at: 0 | 1 = 0;
  #begun = 0;

  /** `ofHttp` is the environment of the http processes, and `ofAll` of all processes, in addition to the engines. */
  constructor(ofHttp: Environment = {}, ofAll: Environment = {}) {
    super(() => this.url);
    this.#ofHttp = ofHttp;
    this.#ofAll = ofAll;
  }

  /** The environment variables that make another process use the same engines. */
  get engines(): EngineUrls {
    return this.#engines.urls;
  }

  /** The http processes. */
  get http(): readonly [Server, Server] {
    return this.#running.http;
  }

  get url(): string {
    return this.#currentServer.url;
  }

  get log(): readonly LogLine[] {
    return this.http.flatMap(({ log }) => log);
  }

  /** Starts the engines and all processes. After a stop or a kill, starts the stopped http process again. */
  async start(): Promise<void> {
    if (this.#processes !== undefined) await this.#currentServer.start();
    this.#starting ??= this.#startAll();
    this.#processes = await this.#starting;
  }

  /** Stops the http process that the client calls. The other processes continue. */
  stop(): Promise<number | null> {
    return this.#currentServer.stop();
  }

  /** Kills the http process that the client calls. The other processes continue. */
  kill(): Promise<void> {
    return this.#currentServer.kill();
  }

  /** Restarts the http process that the client calls, or both http processes if the environment changes. */
  async restart(more: Environment = {}): Promise<void> {
    const servers = Object.keys(more).length === 0 ? [this.#currentServer] : this.http;
    await Promise.all(servers.map((server) => server.restart(more)));
  }

  runCli(command: readonly string[], input?: string): Promise<ProgramResult> {
    const environment = { ...this.engines, DATA_DIR: temporaryDirectory() };
    return run('cli', { environment, arguments: command, input });
  }

  recorded(stream?: string): Promise<readonly Fact[]> {
    return this.#running.stores.recorded(stream);
  }

  /** Returns the messages of all workers, including a killed one. */
  outbox(): readonly Message[] {
    return messagesIn(...this.#running.workers.map(({ directory }) => directory));
  }

  head(): Promise<string | undefined> {
    return this.#running.stores.head();
  }

  opaque(): Promise<Opaque> {
    return this.#running.stores.opaque();
  }

  /** Kills a worker before the second test. Switches to the other http process before every test. */
  async beginTest(): Promise<void> {
    this.#begun += 1;
    if (this.#begun === 2) {
      await (await this.leadingWorker()).kill();
      await this.untilTakenOver();
    }
    await this.switchProcess();
  }

  /**
   * Switches to the other http process and waits until the read models have caught up, because it has no own writes.
   */
  async switchProcess(): Promise<void> {
    this.#at = this.#at === 0 ? 1 : 0;
    const { stores } = this.#running;
    const head = (await this.head()) ?? '';
    await eventually(async () => {
      const behind = await stores.behind(head);
      if (behind.length > 0) throw new Error(`${behind} did not reach position ${head}`);
    });
  }

  /** Returns a worker that leads a projection, so that killing it has an effect. */
  leadingWorker(): Promise<WorkerProcess> {
    const { stores, workers } = this.#running;
    return eventually(async () => {
      const leaders = [...(await stores.leaders()).values()];
      const leading = workers.find(({ pid }) => leaders.includes(pid));
      if (leading === undefined) throw new Error('no worker leads a projection');
      return leading;
    });
  }

  /** Resolves when live workers lead all projections. */
  async untilTakenOver(): Promise<void> {
    const { stores, workers } = this.#running;
    await eventually(async () => {
      const living = workers.filter(({ hasEnded }) => !hasEnded).map(({ pid }) => pid);
      for (const [projection, leader] of await stores.leaders()) {
        if (!living.some((pid) => pid === leader)) throw new Error(`no live worker leads ${projection}`);
      }
    });
  }

  /** Ends all processes, even if a start took longer than the test's timeout, and removes their data. */
  async end(): Promise<void> {
    try {
      const processes = await this.#starting;
      if (processes !== undefined) await endAll(processes);
    } finally {
      await this.#engines.end();
      this.#directories.remove();
    }
  }

  get #currentServer(): Server {
    return this.http[this.#at];
  }

  get #running(): Processes {
    if (this.#processes === undefined) throw new Error('the service is not running');
    return this.#processes;
  }

  // If one process does not start, ends all others.
  async #startAll(): Promise<Processes> {
    await this.#engines.start();
    const http = [this.#newServer(), this.#newServer()] as const;
    const starting = [this.#startWorker(), this.#startWorker()];
    const started = await Promise.allSettled([...starting, ...http.map((server) => server.start())]);
    const workers = (await Promise.allSettled(starting)).flatMap((worker) =>
      worker.status === 'fulfilled' ? [worker.value] : [],
    );
    const processes = { http, workers, stores: new ServiceStores(this.engines) };
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed?.status !== 'rejected') return processes;
    await endAll(processes);
    throw failed.reason;
  }

  #newServer(): Server {
    return new Server(this.#directories.make(), { ...this.engines, ...this.#ofAll, ...this.#ofHttp, ROLES: 'http' });
  }

  #startWorker(): Promise<WorkerProcess> {
    return WorkerProcess.start(this.#directories.make(), { ...this.engines, ...this.#ofAll });
  }
}

const endAll = async ({ http, workers, stores }: Processes): Promise<void> => {
  await stores.close();
  await Promise.all([...http.map((server) => server.kill()), ...workers.map((worker) => worker.kill())]);
};
