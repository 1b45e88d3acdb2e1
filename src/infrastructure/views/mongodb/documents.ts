// The documents of the views on MongoDB: how they are stored, written and filtered.
import type { Db, Filter } from 'mongodb';
import type { Position } from '../../facts/facts.js';
import type { Collection, Document, DocumentWrite, Indexes, ListQuery } from '../views.js';

/** A document as it is stored, without its indexed fields `x_<field>`. */
export interface StoredDocument {
  readonly _id: string;
  readonly body: string;
  readonly revision: number;
  readonly _pos: Position;
  readonly created: Position;
}

export const WHOLE = { body: 1, revision: 1, _pos: 1, created: 1 };

export const documentsOf = (db: Db, name: string) => db.collection<StoredDocument>(name);

export const toDocument = ({ _id, body, revision, _pos }: StoredDocument): Document => ({
  id: _id,
  body,
  revision,
  position: _pos,
});

/** Returns the write of a document, which does nothing if the stored document is at the same position or later. */
export const updateOf = ({ id, body, revision, position, created, index }: DocumentWrite, indexes: Indexes) => {
  const indexed = Object.fromEntries(
    // An index of a field with a list has an entry for each of its values.
    Object.entries(indexes).map(([field, kind]) => [`x_${field}`, index[field] ?? (kind === 'contains' ? [] : '')]),
  );
  return {
    filter: { _id: id, _pos: { $lt: position } },
    update: { $set: { body, revision, _pos: position, ...indexed }, $setOnInsert: { created } },
  };
};

/** Returns the indexes that the lists of a collection follow, each in the order of creation. */
export const indexesOf = ({ indexes, within }: Pick<Collection, 'indexes' | 'within'>) => {
  const byField = Object.entries(indexes)
    .filter(([field, kind]) => (within === undefined ? kind !== 'compared' : field === within))
    .map(([field]) => ({ [`x_${field}`]: 1, created: 1 }) as const);
  const keys = within === undefined ? [{ created: 1 } as const, ...byField] : byField;
  return keys.map((key) => ({ key }));
};

export const filterOf = ({
  where,
  prefix,
  atMost = {},
  above = {},
  order,
  after,
}: Pick<ListQuery, 'where' | 'prefix'> & Partial<ListQuery>): Filter<StoredDocument> => {
  const conditions = [
    ...Object.entries(where).map(([field, value]) => ({ [`x_${field}`]: { $eq: value } })),
    ...Object.entries(prefix).map(([field, start]) => ({ [`x_${field}`]: startingWith(start) })),
    ...Object.entries(atMost).map(([field, value]) => ({ [`x_${field}`]: { $lte: value } })),
    ...Object.entries(above).map(([field, value]) => ({ [`x_${field}`]: { $gt: value } })),
    ...(after === undefined ? [] : [{ created: { [order === 'oldest-first' ? '$gt' : '$lt']: after } }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
};

// A range of the index: up to the first text after all texts with this start.
const startingWith = (start: string) => {
  const points = [...start].map((character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return { $gte: start };
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return { $gte: start, $lt: String.fromCodePoint(...points, next) };
};
