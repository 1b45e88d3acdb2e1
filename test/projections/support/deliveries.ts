// Delivers events to a read model in batches of a test's choice, some of them again.
import { expect } from 'vitest';
import type { RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import type { Views } from '../../../src/infrastructure/views/views.js';
import { foldPage } from '../../../src/projections/fold-page.js';
import type { Projection } from '../../../src/projections/projection.js';
import { leased } from '../../infrastructure/views/support/harness.js';
import type { Random } from '../../support/random.js';

export type Batch = readonly RecordedEvent[];

/** Returns batches of random sizes that sometimes go back to earlier events. Every event comes three times or more. */
export const randomBatches = (random: Random, events: Batch): Batch[] => {
  const batches: Batch[] = [];
  for (let time = 1; time <= 3; time += 1) {
    for (let from = 0; from < events.length; ) {
      const size = random.integer(1, 60);
      batches.push(events.slice(from, from + size));
      from = random.chance(0.2) ? Math.max(0, from - random.integer(0, 80)) : from + size;
    }
  }
  return batches;
};

/** Prepares an empty read model, and returns a function that folds a batch and returns the commit that it makes. */
export const foldingInto = async (views: Views, projection: Projection) => {
  await views.prepare(projection);
  const lease = await leased(views, { projection: projection.name, number: 1 });
  const fold = async (events: Batch) => {
    const position = events.at(-1)?.position ?? '';
    const { writes, poison } = await foldPage(views, lease, projection, { events, position, atEnd: false });
    expect(poison).toBeUndefined();
    return { lease, writes, position };
  };
  const deliver = async (events: Batch) => expect(await views.commit(await fold(events))).toBe(true);
  return { fold, deliver };
};
