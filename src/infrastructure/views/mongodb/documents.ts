// The documents of the views on MongoDB: how they are stored, written and filtered.
import type { Db, Filter } from 'mongodb';
import type { Position } from '../../facts/facts.js';
import type { Collection, Document, DocumentWrite, ListQuery, StoredCollection } from '../views.js';

/** A document as it is stored, without its indexed fields `x_<field>`. */
export interface StoredDocument {
  readonly _id: string;
  readonly body: string;
  readonly revision: number;
  readonly _pos: Position;
  readonly created: Position;
}

export const WHOLE = { body: 1, revision: 1, _pos: 1, created: 1 };

export const storedDocuments = (db: Db, name: string) => db.collection<StoredDocument>(name);

export const toDocument = ({ _id, body, revision, _pos }: StoredDocument): Document => ({
  id: _id,
  body,
  revision,
  position: _pos,
});

/** Returns the write of a document, which does nothing if the stored document is at the same position or later. */
export const updateOf = (
  { id, body, revision, position, created, index }: DocumentWrite,
  indexes: Collection['indexes'],
) => {
  const indexed = Object.fromEntries(
    // An index of a field with a list has an entry for each of its values.
    indexes.map(({ field, kind }) => [`x_${field}`, index[field] ?? (kind === 'contains' ? [] : '')]),
  );
  return {
    filter: { _id: id, _pos: { $lt: position } },
    update: { $set: { body, revision, _pos: position, ...indexed }, $setOnInsert: { created } },
  };
};

/**
 * Returns the indexes that the lists of a collection follow, each in the order of creation. Every index has the ordered
 * fields, so that bounds are compared without reading the documents.
 */
export const indexesOf = ({ indexes, within = {} }: StoredCollection) => {
  const fields = Object.keys(indexes);
  const ordered = Object.fromEntries(
    fields.filter((field) => indexes[field] === 'ordered').map((field) => [`x_${field}`, 1] as const),
  );
  const followed = fields.map((field) => ({ [`x_${within[field] ?? field}`]: 1, [`x_${field}`]: 1, created: 1 }));
  return [{ created: 1 }, ...followed].map((by) => ({ key: { ...by, ...ordered } }));
};

const OPERATORS = { atLeast: '$gte', above: '$gt', atMost: '$lte', below: '$lt' } as const;

export const filterOf = ({
  where,
  bounds = [],
  order,
  after,
}: Pick<ListQuery, 'where'> & Partial<ListQuery>): Filter<StoredDocument> => {
  const conditions = [
    ...Object.entries(where).map(([field, value]) => ({ [`x_${field}`]: { $eq: value } })),
    ...bounds.map(({ field, is, value }) => ({ [`x_${field}`]: { [OPERATORS[is]]: value } })),
    ...(after === undefined ? [] : [{ created: { [order === 'oldest-first' ? '$gt' : '$lt']: after } }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
};

/** Returns the fields that a filter compares. */
export const filteredFields = ({ where, bounds = [] }: Pick<ListQuery, 'where' | 'bounds'>): readonly string[] => [
  ...Object.keys(where),
  ...bounds.map(({ field }) => field),
];
