import type { Projection } from '../../../src/projections/projection.js';
import { log } from './recorded.js';
import { folded } from './replay.js';

/** Returns a function that folds a log of one aggregate, and then finds documents, each with its index. */
export const documentsOf =
  ({ aggregates: [aggregate = ''], ...projection }: Projection) =>
  (...events: Parameters<typeof log>[1][]) => {
    const documents = folded({ aggregates: [aggregate], ...projection }, log(aggregate, ...events));
    return (collection: string, id: string) => {
      const found = documents.get(collection)?.get(id);
      const { indexes = [] } = projection.folded.find(({ name }) => name === collection) ?? {};
      const index = found && Object.fromEntries(indexes.map(({ field, of }) => [field, of(found.document as never)]));
      return found && { ...found, index };
    };
  };
