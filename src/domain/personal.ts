// Which fields of events hold personal data. They are sealed on their way into the log with a key of the person, and read
// as null once that key is gone: so the type of every personal field has null in it, and nobody can forget the case.
import { z } from 'zod';
import type { Schemas } from './decider.js';

const marks = z.registry<{ readonly personal: true }>();

/** A field of an event that holds personal data: null where the person has none, or was erased. */
export const personal = <S extends z.ZodType>(schema: S): z.ZodNullable<S> => {
  const field = schema.nullable();
  marks.add(field as z.ZodType, { personal: true });
  return field;
};

/** Where a personal field is in a payload: names of members, and `*` for every item of a list. */
export type PersonalPath = readonly string[];

/** The personal fields of each type of event, for the types that have some. */
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
