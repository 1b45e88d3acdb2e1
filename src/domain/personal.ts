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

/** Returns the personal fields of each event type that has any. */
export const personalPathsOf = (events: Schemas): ReadonlyMap<string, readonly PersonalPath[]> =>
  new Map(
    Object.entries(events)
      .map(([type, schema]) => [type, pathsIn(schema)] as const)
      .filter(([, paths]) => paths.length > 0),
  );

const pathsIn = (schema: z.ZodType): readonly PersonalPath[] => {
  if (marks.has(schema)) return [[]];
  if (schema instanceof z.ZodArray) return pathsIn(schema.element as z.ZodType).map((path) => ['*', ...path]);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, member]) =>
      pathsIn(member as z.ZodType).map((path) => [name, ...path]),
    );
  }
  const isWrapped =
    schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapped ? pathsIn(schema.unwrap() as z.ZodType) : [];
};
