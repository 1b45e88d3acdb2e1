// Helps the suites of the views with two engines on one store, new projections, and documents to write.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type {
  Checkpoint,
  DocumentWrite,
  Generation,
  Index,
  Lease,
  ListQuery,
  ProjectionShape,
  Views,
} from '../../../../src/infrastructure/views/views.js';
import { TwoEngines } from '../../support/two-engines.js';

/** Two engines on one store. */
export class Store extends TwoEngines<Views> {
  get views(): Views {
    return this.first;
  }

  /** Creates a projection that no other test has and that both engines know. */
  projection(): Promise<Projected> {
    return newProjection(this.views, this.beside);
  }
}

/** Returns the position of the nth event. */
export const at = (n: number): string => String(n).padStart(16, '0');

export const HOUR_MS = 3_600_000;
export const worker = 'host/1/worker';

const indexes: readonly Index[] = [
  { field: 'name', kind: 'prefix' },
  { field: 'since', kind: 'ordered' },
  { field: 'until', kind: 'ordered' },
  { field: 'places', kind: 'contains' },
  { field: 'groups', kind: 'contains' },
  { field: 'owner', kind: 'equal' },
  { field: 'version', kind: 'equal' },
  { field: 'status', kind: 'equal', within: 'version' },
];

/** Returns a new projection of two collections. */
export const newShape = (version = 1): ProjectionShape => {
  const name = `p${randomUUID().replaceAll('-', '')}`;
  return {
    name,
    version,
    collections: [
      { name: `${name}Things`, indexes },
      { name: `${name}Others`, indexes: [] },
    ],
  };
};

/** Returns the checkpoint of the first generation of a projection before its first event. */
export const firstOf = ({ name, version }: ProjectionShape): Checkpoint => ({
  projection: name,
  number: 1,
  version,
  state: 'live',
  position: undefined,
  stopped: undefined,
  heldBy: undefined,
});

/** Acquires the lease of a generation that no other owner holds. */
export const leased = async (views: Views, generation: Generation, owner = worker): Promise<Lease> => {
  const lease = await views.acquire(generation, owner, HOUR_MS);
  if (lease === undefined) throw new Error(`${generation.projection} ${generation.number} is held by another owner`);
  return lease;
};

/** Lets another owner take a lease, as after the lease has expired. */
export const takenOver = async (views: Views, lease: Lease, owner = 'host/2/other'): Promise<Lease> => {
  await views.release(lease);
  return leased(views, lease, owner);
};

/** Creates a projection that all engines know, and leases its only generation from the first engine. */
export const newProjection = async (views: Views, ...others: readonly Views[]): Promise<Projected> => {
  const shape = newShape();
  for (const engine of [views, ...others]) await engine.prepare(shape);
  return new Projected(views, shape, await leased(views, { projection: shape.name, number: 1 }));
};

/** Returns the generations of one projection, lowest number first. */
export const checkpointsOf = async (views: Views, projection: string): Promise<readonly Checkpoint[]> =>
  (await views.checkpoints())
    .filter((checkpoint) => checkpoint.projection === projection)
    .toSorted((a, b) => a.number - b.number);

/** A projection under test, written by the holder of a lease of one of its generations. */
export class Projected {
  readonly views: Views;
  readonly shape: ProjectionShape;
  readonly lease: Lease;
  /** The names of its two collections; the second has no indexed field. */
  readonly things: string;
  readonly others: string;

  constructor(views: Views, shape: ProjectionShape, lease: Lease) {
    this.views = views;
    this.shape = shape;
    this.lease = lease;
    this.things = `${shape.name}Things`;
    this.others = `${shape.name}Others`;
  }

  /** Returns a document of the first collection that the nth event created and last changed. */
  thing(id: string, n: number, fields: Partial<DocumentWrite> = {}): DocumentWrite {
    return {
      collection: this.things,
      id,
      body: `"${id} ${n}"`,
      revision: n,
      position: at(n),
      created: at(n),
      index: { owner: 'nobody', version: '1', name: id },
      ...fields,
    };
  }

  /** Commits documents with a checkpoint at the nth event. */
  commit(n: number, ...writes: readonly DocumentWrite[]): Promise<boolean> {
    return this.views.commit({ lease: this.lease, writes, position: at(n) });
  }

  /** Creates documents of the first collection with the events 1, 2 and so on. */
  async withThings(...fields: readonly Partial<DocumentWrite>[]): Promise<this> {
    const writes = fields.map((each, index) => this.thing(`thing ${index + 1}`, index + 1, each));
    expect(await this.commit(fields.length, ...writes)).toBe(true);
    return this;
  }

  list(options: Partial<ListQuery> = {}) {
    const query = { collection: this.things, where: {}, after: undefined, limit: 100, ...options };
    return this.views.list({ order: 'oldest-first', ...query });
  }

  /** Returns the parsed bodies of a list. */
  async listed(options: Partial<ListQuery> = {}): Promise<unknown[]> {
    return JSON.parse((await this.list(options)).json);
  }

  async body(id: string, views = this.views): Promise<string | undefined> {
    return (await views.get(this.things, id))?.body;
  }

  checkpoints(views = this.views): Promise<readonly Checkpoint[]> {
    return checkpointsOf(views, this.shape.name);
  }

  /** Returns the position of the generation under test. */
  async position(): Promise<string | undefined> {
    return (await this.checkpoints()).find(({ number }) => number === this.lease.number)?.position;
  }

  /** Starts a new generation and leases it. */
  async startRebuild(): Promise<Projected> {
    const generation = await this.views.startGeneration(this.shape);
    return new Projected(this.views, this.shape, await leased(this.views, generation));
  }
}
