// A cluster of test servers in this process: nodes with one log, of which one leads. The leader can be killed or frozen.
// The others go on naming a lost leader until they notice, then elect another, as real nodes do. Nothing is replicated:
// every node reads the one log.
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
  /** For how long the other nodes name a leader that is lost. */
  readonly noticeMs?: number;
  /** For how long there is no leader after that. */
  readonly electionMs?: number;
}

/** A node, and the port on which clients find it through all of its starts. */
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

  /** Whether it was killed or frozen. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async start(): Promise<void> {
    await this.server.start();
    await this.#relay.start(this.server.port);
    this.#isLost = false;
  }

  /** Ends it at once; its connections are reset. */
  async kill(): Promise<void> {
    this.#isLost = true;
    await this.#relay.kill();
    await this.server.kill();
  }

  /** Makes it silent; its connections stay open. */
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
  /** The node that leads, or is still taken for it. */
  #leader: ClusterNode | undefined;

  private constructor(ports: readonly number[], { directory, noticeMs = 200, electionMs = 3_000 }: ClusterOptions) {
    mkdirSync(directory, { recursive: true });
    this.#store = new Store(join(directory, 'log.jsonl'), 3_000);
    this.#noticeMs = noticeMs;
    this.#electionMs = electionMs;
    this.#nodes = ports.map((port) => new ClusterNode(directory, this.#membershipOf(port)));
  }

  /** Starts a cluster; its first node leads. */
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

  /** What a client connects by: every node. */
  get url(): string {
    return `esdb://${this.#nodes.map(({ port }) => `${HOST}:${port}`).join()}?tls=false`;
  }

  /** What a client connects by that knows one node alone, which does not lead. */
  get followerUrl(): string {
    const port = this.#nodes.find((node) => node !== this.#leader)?.port;
    return `esdb://${HOST}:${port}?tls=false`;
  }

  /** Every event that was committed. */
  get log(): readonly StoredEvent[] {
    return this.#store.log;
  }

  /** Whether the nodes know of no leader. */
  get isElecting(): boolean {
    return this.#leader === undefined;
  }

  /** The node that leads; undefined while none does. */
  get leader(): EventStoreDbServer | undefined {
    return this.#leader?.isLost === false ? this.#leader.server : undefined;
  }

  /** Kills the leader; the others elect another one. */
  killLeader(): Promise<void> {
    return this.#lose((leader) => leader.kill());
  }

  /** Makes the leader silent; the others elect another one. */
  freezeLeader(): Promise<void> {
    return this.#lose((leader) => leader.freeze());
  }

  /** Brings every node back that was killed or frozen, as a follower of the new leader. */
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
