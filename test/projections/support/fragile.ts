// A projection for tests, whose fold fails on the events that a test chooses.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Facts, Position } from '../../../src/infrastructure/facts/facts.js';
import { collection, type Projection, projection } from '../../../src/projections/projection.js';
import { newEvent, written } from '../../infrastructure/facts/support/harness.js';

const events = { Happened: z.object({ name: z.string() }) };

/** A projection that keeps a document in each of two collections for every stream of an aggregate. */
export class FragileProjection {
  /** The name on which the fold fails; undefined if it never fails. */
  failsOn: string | undefined;
  /** The name that cannot be indexed; undefined if every name can. */
  failsToIndex: string | undefined;
  /** How long the fold of an event blocks the event loop. */
  takesMs = 0;
  readonly projection: Projection;

  constructor(name: string, version = 1) {
    const accepted = (given: string): { name: string } => {
      for (const end = performance.now() + this.takesMs; performance.now() < end; );
      if (given === this.failsOn) throw new RangeError('this name fails');
      return { name: version === 1 ? given : `${given}, version ${version}` };
    };
    const named = { idOf: (_: unknown, id: string) => id, indexes: () => [] };
    this.projection = projection({
      name,
      version,
      aggregates: [name],
      // Only the root fails, so a batch can fail halfway through an event.
      parts: [
        collection<{ count: number }, typeof events>({
          ...named,
          name: `${name}Counts`,
          when: { Happened: (was) => ({ count: (was?.count ?? 0) + 1 }) },
        }),
      ],
      root: collection<{ name: string }, typeof events>({
        ...named,
        name: `${name}Names`,
        when: { Happened: (_, data) => accepted(data.name) },
        indexes: (index) => [
          index('equal', 'name', ({ name }) => {
            if (name === this.failsToIndex) throw new RangeError('this name has no index');
            return name;
          }),
        ],
      }),
    });
  }

  /** Appends one event for each name, each to its own stream, and returns their positions. */
  async append(facts: Facts, ...names: readonly string[]): Promise<Position[]> {
    const positions: Position[] = [];
    for (const name of names) positions.push(await this.#append(facts, name));
    return positions;
  }

  async #append(facts: Facts, name: string): Promise<Position> {
    const stream = `${this.projection.name}-${randomUUID()}`;
    return written(await facts.append(stream, 'no-stream', [newEvent({ name })])).position;
  }
}
