// A stand-in for an EventStoreDB node without TLS, in this process, built on the client's own service definitions. It
// has only the calls that the service makes: appends at exact versions, reads, and subscriptions to the log. There it behaves
// as measured on a real node, and it keeps its log in a file. Tests can stop and kill it, start it again on the same
// port, and inject faults. It can be a node of a cluster (cluster.ts).
import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import { batchAppendHandler } from './batch-append.js';
import type { Backend } from './calls.js';
import { stopped } from './errors.js';
import { Faults, type Method } from './faults.js';
import { gossipHandler, leaderOnly, type Membership } from './membership.js';
import { readHandler } from './read.js';
import { Store } from './store.js';
import { BURST, type Subscription } from './subscription.js';

export interface ServerOptions {
  /** The folder of the log. */
  readonly directory: string;
  /** 0 picks a free port. */
  readonly port?: number;
  /** After how long a discarded duplicate of a pending write times out: about 3 s on a real server. */
  readonly duplicateTimeoutMs?: number;
  /** Makes the server a node of a cluster, with the log of the cluster. */
  readonly membership?: Membership;
}

/** The maximum size of a message in bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

// How long open calls may take to end when the server stops: 5 s on a real server.
const DRAIN_MS = 500;

interface Running {
  readonly listener: NetServer;
  readonly grpc: Server;
  readonly store: Store;
}

export class EventStoreDbServer {
  readonly faults = new Faults();
  /** The number of calls of each method. */
  readonly calls = new Map<Method, number>();
  /** How many events of the log reads and subscriptions have examined. */
  examined = 0;
  /** How many events a filtered read or a subscription examines in a millisecond. */
  examinedPerMs = Number.POSITIVE_INFINITY;
  /** How many messages may wait for the consumer of a live subscription before the server drops it. */
  burst = BURST;
  /** How long a read takes to send an event, in milliseconds. */
  eventMs = 0;
  /** Whether the server serves calls. If not, they fail as not ready. */
  isReady = true;
  readonly #options: ServerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #subscriptions = new Set<Subscription>();
  #port: number;
  #running: Running | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  /** The port, known after the first start. */
  get port(): number {
    return this.#port;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The connection string, known after the first start. */
  get url(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=false`;
  }

  /** The log. Throws if the server is not running. */
  get store(): Store {
    if (this.#running === undefined) throw new Error('the server is not running');
    return this.#running.store;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** The number of open subscriptions. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  async start(): Promise<void> {
    const { directory, duplicateTimeoutMs = 3_000, membership } = this.#options;
    mkdirSync(directory, { recursive: true });
    const store = membership?.store ?? new Store(join(directory, 'log.jsonl'), duplicateTimeoutMs);
    const grpc = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      interceptors: membership === undefined ? [] : [leaderOnly(membership)],
    });
    const backend: Backend = {
      store,
      faults: this.faults,
      isReady: () => this.isReady,
      examinedPerMs: () => this.examinedPerMs,
      examined: (events) => {
        this.examined += events;
      },
      burst: () => this.burst,
      eventMs: () => this.eventMs,
      cut: () => this.cut(),
      called: (method) => void this.calls.set(method, (this.calls.get(method) ?? 0) + 1),
    };
    grpc.addService(StreamsService, {
      read: readHandler(backend, this.#subscriptions),
      batchAppend: batchAppendHandler(backend),
    });
    if (membership !== undefined) grpc.addService(GossipService, { read: gossipHandler(backend, membership) });
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const listener = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      injector.injectConnection(socket);
    });
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (listener.address() as AddressInfo).port;
    this.#running = { listener, grpc, store };
  }

  /** Shuts down: ends open calls without a status, then closes the connections. */
  async stop(): Promise<void> {
    this.failSubscriptions(stopped());
    const grpc = this.#running?.grpc;
    if (grpc === undefined) return;
    const drained = new Promise<unknown>((resolve) => grpc.tryShutdown(resolve));
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
    await this.#close((socket) => socket.end());
  }

  /** Stops like a killed process. */
  async kill(): Promise<void> {
    await this.#close((socket) => socket.resetAndDestroy());
  }

  /** Kills the server and starts it again on the same port and log. It loses what was only in memory. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Resets every connection. Clients may connect again immediately. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  failSubscriptions(error: ServiceError): void {
    for (const subscription of [...this.#subscriptions]) subscription.fail(error);
  }

  /** Ends the open subscriptions without an error, as only a proxy does. */
  endSubscriptions(): void {
    for (const subscription of [...this.#subscriptions]) subscription.end();
  }

  /** Keeps the open subscriptions open but sends nothing more. */
  muteSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.mute();
  }

  async #close(end: (socket: Socket) => void): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    const closed = new Promise((resolve) => running.listener.close(resolve));
    for (const socket of this.#sockets) end(socket);
    running.grpc.forceShutdown();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#subscriptions.clear();
  }
}
