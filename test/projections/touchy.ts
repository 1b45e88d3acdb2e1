// A projection for tests, whose fold fails on the events that a test chooses.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Facts, Position } from '../../src/infrastructure/facts/facts.js';
import type { Indexes } from '../../src/infrastructure/views/views.js';
import { collection, type Projection, projection } from '../../src/projections/projection.js';
import { newEvent, written } from '../infrastructure/facts-harness.js';

const events = { Happened: z.object({ name: z.string() }) };

/** How `name` can be borne, and whose it is: a document of each of two collections for every event of an aggregate. */
export class Touchy {
  /** The name on which the fold fails; undefined if it never fails. */
  unbearable: string | undefined;
  readonly projection: Projection;

  constructor(name: string, version = 1) {
    const taken = (given: string): { name: string } => {
      if (given === this.unbearable) throw new RangeError('it cannot be borne');
      return { name: version === 1 ? given : `${given}, version ${version}` };
    };
    const named = { idOf: (_: unknown, id: string) => id, index: () => ({}), indexes: {} };
    this.projection = projection({
      name,
      version,
      aggregates: [name],
      // The first of the two can bear everything: what fails is the second.
      folded: [
        collection<{ count: number }, typeof events, Indexes>({
          ...named,
          name: `${name}Counts`,
          when: { Happened: (was) => ({ count: (was?.count ?? 0) + 1 }) },
        }),
        collection<{ name: string }, typeof events, Indexes>({
          ...named,
          name: `${name}Names`,
          when: { Happened: (_, data) => taken(data.name) },
        }),
      ],
    });
  }

  /** Appends one event for each name, to streams of their own; gives their positions. */
  async happen(facts: Facts, ...names: readonly string[]): Promise<Position[]> {
    const positions: Position[] = [];
    for (const name of names) positions.push(await this.#happen(facts, name));
    return positions;
  }

  async #happen(facts: Facts, name: string): Promise<Position> {
    const stream = `${this.projection.name}-${randomUUID()}`;
    return written(await facts.append(stream, 'no-stream', [newEvent({ name })])).position;
  }
}
