// Marks the fields of events that hold personal data. The log seals these fields with a key of the person and reads
// them as null once the key is destroyed. The type of every personal field includes null, so no code can forget that
// case.
import { z } from 'zod';
import type { Schemas } from './decider.js';

const marks = z.registry<{ readonly personal: true }>();

/** Marks a field as personal data. The field is null if the person has no such value or was erased. */
export const personal = <S extends z.ZodType>(schema: S): z.ZodNullable<S> => {
  const field = schema.nullable();
  marks.add(field as z.ZodType, { personal: true });
  return field;
};

/** The path to a personal field in a payload: member names, and `*` for every item of a list. */
export type PersonalPath = readonly string[];

/** Returns the personal fields of each event type that has any. Throws if a schema could hide one. */
export const personalPathsOf = (events: Schemas): ReadonlyMap<string, readonly PersonalPath[]> =>
  new Map(
    Object.entries(events)
      .map(([type, schema]) => [type, pathsIn(schema, type)] as const)
      .filter(([, paths]) => paths.length > 0),
  );

const pathsIn = (schema: z.ZodType, place: string): readonly PersonalPath[] => {
  // Unlike `has`, `get` also finds the mark of the schema that this schema was made from with `describe` or `refine`.
  if (marks.get(schema)?.personal) return [[]];
  const parts = PARTS[schema.type];
  if (parts === undefined) {
    throw new Error(
      `${place} is a schema of the kind "${schema.type}", which may hide personal fields: use another kind`,
    );
  }
  return parts(schema as never).flatMap(([path, part]) =>
    pathsIn(part as z.ZodType, [place, ...path].join('.')).map((rest) => [...path, ...rest]),
  );
};

type Parts = readonly (readonly [PersonalPath, unknown])[];

const none = (): Parts => [];
const inPlace = (schema: { readonly unwrap: () => unknown }): Parts => [[[], schema.unwrap()]];

/** The schemas in a schema of each kind, with their paths. An event must not have a schema of a kind that is not here. */
const PARTS: { readonly [K in z.ZodType['type']]?: (schema: never) => Parts } = {
  ...{ boolean: none, enum: none, literal: none, never: none, null: none, number: none, string: none, unknown: none },
  ...{ default: inPlace, nullable: inPlace, optional: inPlace, readonly: inPlace },
  array: ({ element }: z.ZodArray) => [[['*'], element]],
  record: ({ valueType }: z.ZodRecord) => [[['*'], valueType]],
  object: ({ shape, def }: z.ZodObject) => [
    ...Object.entries(shape).map(([name, member]) => [[name], member] as const),
    ...(def.catchall === undefined ? [] : [[['*'], def.catchall] as const]),
  ],
  union: ({ options }: z.ZodUnion) => options.map((option) => [[], option] as const),
};
