// Reads the stores of a running service on the distributed engines: its log, and the leaders of its projections.
import { allDeciders } from '../../src/domain/all.js';
import type { Opaque } from '../../src/http/route/opaque.js';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import type { Position, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { newMasterKey, parseMasterKey, providedMasterKeys } from '../../src/infrastructure/keys/master-key.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import type { EngineUrls } from './engines-of-file.js';
import { TEST_MASTER_KEY } from './master-key.js';
import { opaqueWith } from './opaque.js';
import type { Fact } from './service.js';

const PAGE_EVENTS = 1_000;

/** The stores of a running service, opened with the service's own engine code. */
export class ServiceStores {
  readonly #facts: EventStoreDbFacts;
  readonly #views: MongoViews;
  readonly #vault: MongoVault;
  #opaque: Promise<Opaque> | undefined;
  readonly #events: RecordedEvent[] = [];
  #examined: Position | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor({ EVENTSTORE_URL, MONGODB_URL }: EngineUrls) {
    this.#facts = new EventStoreDbFacts(EVENTSTORE_URL);
    const connection = new MongoConnection(MONGODB_URL);
    this.#views = new MongoViews(connection);
    this.#vault = new MongoVault(connection);
  }

  /** Returns the events recorded so far, or only those of one stream. */
  async recorded(stream?: string): Promise<readonly Fact[]> {
    await this.#readOn();
    return this.#events
      .filter((event) => stream === undefined || event.stream === stream)
      .map((event) => ({ ...event, data: event.data as Fact['data'] }));
  }

  /** Returns the position of the last event, or undefined if the log is empty. Ignores EventStoreDB's own events. */
  async head(): Promise<Position | undefined> {
    await this.#readOn();
    return this.#events.at(-1)?.position;
  }

  /** Returns the names of the live read models that have not reached a position. */
  async behind(position: Position): Promise<readonly string[]> {
    const live = (await this.#views.checkpoints()).filter(({ state }) => state === 'live');
    return live.filter((checkpoint) => (checkpoint.position ?? '') < position).map(({ projection }) => projection);
  }

  /** Returns the cipher that the service seals positions with. */
  opaque(): Promise<Opaque> {
    this.#opaque ??= opaqueWith(this.#vault, providedMasterKeys([parseMasterKey(TEST_MASTER_KEY) ?? newMasterKey()]));
    return this.#opaque;
  }

  /** Returns the process id of the leader of each projection, or undefined if a projection has no leader. */
  async leaders(): Promise<ReadonlyMap<string, number | undefined>> {
    const checkpoints = await this.#views.checkpoints();
    return new Map(
      checkpoints.map(({ projection, heldBy }) => [projection, heldBy === undefined ? undefined : pidIn(heldBy)]),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#facts.close(), this.#views.close(), this.#vault.close()]);
  }

  // Recorded events never change, so each event is read once. Concurrent calls wait for each other.
  #readOn(): Promise<void> {
    this.#reading = this.#reading.then(
      () => this.#readToEnd(),
      () => this.#readToEnd(),
    );
    return this.#reading;
  }

  async #readToEnd(): Promise<void> {
    const aggregates = allDeciders.map(({ aggregate }) => aggregate);
    for (;;) {
      const { events, position, atEnd } = await this.#facts.readLog({ aggregates, after: this.#examined }, PAGE_EVENTS);
      this.#events.push(...events);
      this.#examined = position;
      if (atEnd) return;
    }
  }
}

// An owner is named host/process/instance.
const pidIn = (owner: string): number => Number(owner.split('/')[1]);
