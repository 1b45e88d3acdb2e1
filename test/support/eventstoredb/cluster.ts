// A cluster of test servers in this process. The nodes share one log, and one node leads. A test can kill or freeze the
// leader. The other nodes name a lost leader until they notice the loss, and then elect another, like real nodes.
// Nothing is replicated, because every node reads the same log.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, HOST } from '../free-port.js';
import type { Member, Membership, State } from './membership.js';
import type { StoredEvent } from './records.js';
import { Relay } from './relay.js';
import { EventStoreDbServer } from './server.js';
import { Store } from './store.js';

export interface ClusterOptions {
  /** The folder of the log. */
  readonly directory: string;
  readonly nodes?: number;
  /** How long the other nodes name a lost leader. */
  readonly noticeMs?: number;
  /** How long there is no leader after that. */
  readonly electionMs?: number;
}

/** A node and its port, which stays the same when the node starts again. */
class ClusterNode {
  readonly port: number;
  readonly server: EventStoreDbServer;
  readonly #relay: Relay;
  #isLost = true;

  constructor(directory: string, membership: Membership) {
    this.port = membership.port;
    this.server = new EventStoreDbServer({ directory, membership });
    this.#relay = new Relay(membership.port);
  }

  /** Whether the node was killed or frozen. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async start(): Promise<void> {
    await this.server.start();
    await this.#relay.start(this.server.port);
    this.#isLost = false;
  }

  /** Kills the node and resets its connections. */
  async kill(): Promise<void> {
    this.#isLost = true;
    await this.#relay.kill();
    await this.server.kill();
  }

  /** Suspends the node. Its connections stay open. */
  async freeze(): Promise<void> {
    this.#isLost = true;
    this.#relay.freeze();
  }

  thaw(): void {
    this.#relay.thaw();
    this.#isLost = false;
  }
}

export class EventStoreDbCluster {
  readonly #nodes: readonly ClusterNode[];
  readonly #store: Store;
  readonly #noticeMs: number;
  readonly #electionMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** The leader, or the lost leader that the other nodes still name. */
  #leader: ClusterNode | undefined;

  private constructor(ports: readonly number[], { directory, noticeMs = 200, electionMs = 3_000 }: ClusterOptions) {
    mkdirSync(directory, { recursive: true });
    this.#store = new Store(join(directory, 'log.jsonl'), 3_000);
    this.#noticeMs = noticeMs;
    this.#electionMs = electionMs;
    this.#nodes = ports.map((port) => new ClusterNode(directory, this.#membershipOf(port)));
  }

  /** Starts a cluster whose first node leads. */
  static async start({ nodes = 3, ...options }: ClusterOptions): Promise<EventStoreDbCluster> {
    const ports: number[] = [];
    while (ports.length < nodes) {
      const port = await freePort();
      if (!ports.includes(port)) ports.push(port);
    }
    const cluster = new EventStoreDbCluster(ports, options);
    await Promise.all(cluster.#nodes.map((node) => node.start()));
    cluster.#leader = cluster.#nodes[0];
    return cluster;
  }

  /** The connection string with every node. */
  get url(): string {
    return `esdb://${this.#nodes.map(({ port }) => `${HOST}:${port}`).join()}?tls=false`;
  }

  /** The connection string with one node that does not lead. */
  get followerUrl(): string {
    const port = this.#nodes.find((node) => node !== this.#leader)?.port;
    return `esdb://${HOST}:${port}?tls=false`;
  }

  /** All committed events. */
  get log(): readonly StoredEvent[] {
    return this.#store.log;
  }

  /** Whether the nodes know no leader. */
  get isElecting(): boolean {
    return this.#leader === undefined;
  }

  /** The leader, or undefined if there is none. */
  get leader(): EventStoreDbServer | undefined {
    return this.#leader?.isLost === false ? this.#leader.server : undefined;
  }

  /** Kills the leader. The other nodes elect a new leader. */
  killLeader(): Promise<void> {
    return this.#lose((leader) => leader.kill());
  }

  /** Suspends the leader. The other nodes elect a new leader. */
  freezeLeader(): Promise<void> {
    return this.#lose((leader) => leader.freeze());
  }

  /** Brings every killed or frozen node back as a follower of the new leader. */
  async revive(): Promise<void> {
    for (const node of this.#nodes.filter(({ isLost }) => isLost)) {
      // A frozen node still has its server.
      if (node.server.isRunning) node.thaw();
      else await node.start();
    }
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  async #lose(by: (leader: ClusterNode) => Promise<void>): Promise<void> {
    const lost = this.#leader;
    if (lost === undefined || lost.isLost) throw new Error('the cluster has no leader to lose');
    this.#after(this.#noticeMs, () => {
      this.#leader = undefined;
      this.#after(this.#electionMs, () => {
        this.#leader = this.#nodes.find((node) => node !== lost && !node.isLost);
      });
    });
    await by(lost);
  }

  #after(ms: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, ms);
    this.#timers.add(timer);
  }

  #membershipOf(port: number): Membership {
    return {
      store: this.#store,
      port,
      leader: () => this.#leader?.port,
      members: () => this.#nodes.map((node) => this.#memberOf(node)),
    };
  }

  #memberOf(node: ClusterNode): Member {
    const isLeader = node === this.#leader;
    return { port: node.port, state: this.#stateOf(isLeader), isAlive: isLeader || !node.isLost };
  }

  #stateOf(isLeader: boolean): State {
    if (this.#leader === undefined) return 'UNKNOWN';
    return isLeader ? 'LEADER' : 'FOLLOWER';
  }
}
