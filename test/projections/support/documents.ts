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
      const index = projection.folded.find(({ name }) => name === collection)?.index;
      return found && { ...found, index: index?.(found.document as never) };
    };
  };
