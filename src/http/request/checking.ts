// Checks bodies and parameters against their schemas. Zod checks the length of a list before its items, but creates an
// issue for every error of a list that is not too long. So the lists of a large body are checked item by item, and then
// the rest of it.
import { ZodArray, ZodDefault, ZodObject, ZodOptional, ZodPrefault, z } from 'zod';
import type { FieldErrorCode } from '../../domain/errors.js';
import type { RequestErrors } from '../problems/request-errors.js';
import { issueCodeOf, issueMessageOf } from './wording.js';

// A body with at most this many values has too few issues to matter.
const FEW_VALUES = 2_000;

/**
 * Returns a body as its schema parses it. Returns undefined and adds to `refused` if the schema rejects the body. `size`
 * is the number of values in the body, if known.
 */
export const checkBody = <S extends z.ZodType>(
  schema: S,
  { value, size = Number.POSITIVE_INFINITY }: { readonly value: unknown; readonly size?: number },
  refused: RequestErrors,
): z.output<S> | undefined => {
  const isLarge = size > FEW_VALUES;
  const before = refused.errors.length;
  const rest = isLarge ? checkItems(schema, value, refused) : value;
  if (refused.isCut) return undefined;
  const result = (isLarge ? withoutItems(schema) : schema).safeParse(rest, { error: issueMessageOf });
  if (!result.success) addIssues(result.error, value, (path, code, message) => refused.inBody(path, code, message));
  return refused.errors.length === before ? (result.data as z.output<S>) : undefined;
};

/**
 * Returns parameters as their schema parses them. Returns undefined and adds to `refused` if the schema rejects them.
 */
export const checkParameters = <S extends z.ZodType>(
  schema: S,
  values: unknown,
  refused: RequestErrors,
): z.output<S> | undefined => {
  const result = schema.safeParse(values, { error: issueMessageOf });
  if (result.success) return result.data;
  addIssues(result.error, values, ([name = ''], code, message) => {
    const isRepeated = Array.isArray((values as Readonly<Record<PropertyKey, unknown>>)[name]);
    refused.inParameter(String(name), code, isRepeated ? 'must be sent once' : message);
  });
  return undefined;
};

type Add = (path: readonly PropertyKey[], code: FieldErrorCode, message: string) => void;

const addIssues = ({ issues }: z.ZodError, value: unknown, add: Add): void => {
  for (const issue of issues) add(issue.path, ...codeAndMessageOf(issue, value));
};

const codeAndMessageOf = (issue: z.core.$ZodIssue, value: unknown): readonly [FieldErrorCode, string] => {
  const found = [issueCodeOf(issue), issue.message] as const;
  if (issue.code === 'custom') return found;
  const sent = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  return sent === undefined ? ['required', 'is required'] : found;
};

/**
 * Returns a large body with the items of its lists parsed. Checks the lists item by item, until `refused` is full. Leaves
 * lists that are too long to Zod.
 */
const checkItems = (schema: z.ZodType, value: unknown, refused: RequestErrors): unknown => {
  const parsed: Record<string, unknown> = {};
  for (const [key, list] of listsOf(schema)) {
    const sent: unknown = (value as Readonly<Record<string, unknown>> | null)?.[key];
    if (!Array.isArray(sent) || sent.length > longestOf(list)) continue;
    parsed[key] = itemsIn(key, list.element as z.ZodType, sent, refused);
  }
  return Object.keys(parsed).length === 0 ? value : { ...(value as object), ...parsed };
};

const longestOf = ({ def: { checks = [] } }: ZodArray): number =>
  Math.min(...checks.map(({ _zod: { def } }) => ('maximum' in def ? Number(def.maximum) : Number.POSITIVE_INFINITY)));

/** Returns the items of a list as their schema parses them, and those that it refuses as they were sent. */
const itemsIn = (key: string, item: z.ZodType, list: readonly unknown[], refused: RequestErrors): readonly unknown[] =>
  list.map((sent, index) => {
    if (refused.isCut) return sent;
    const { error, data } = item.safeParse(sent, { error: issueMessageOf });
    if (error === undefined) return data;
    addIssues(error, sent, (path, code, message) => refused.inBody([key, index, ...path], code, message));
    return sent;
  });

const rests = new WeakMap<z.ZodType, z.ZodType>();

/** Returns a schema that does not look into the items of the lists at the top level of a body. Its rules do. */
const withoutItems = (schema: z.ZodType): z.ZodType => {
  const rest = rests.get(schema) ?? emptied(schema, true);
  rests.set(schema, rest);
  return rest;
};

const emptied = (schema: z.ZodType, isTop: boolean): z.ZodType => {
  if (schema instanceof ZodOptional || schema instanceof ZodDefault || schema instanceof ZodPrefault) {
    return schema.clone({ ...schema.def, innerType: emptied(schema.unwrap() as z.ZodType, isTop) } as never);
  }
  if (schema instanceof ZodArray && !isTop) return schema.clone({ ...schema.def, element: z.unknown() });
  if (!(schema instanceof ZodObject) || !isTop) return schema;
  const fields = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>);
  return schema.clone({
    ...schema.def,
    shape: Object.fromEntries(fields.map(([key, field]) => [key, emptied(field, false)])),
  });
};

/** Returns the lists at the top level of a body. The lists inside their items are short enough for a single check. */
const listsOf = (schema: z.ZodType): readonly (readonly [key: string, list: ZodArray])[] => {
  const object = unwrapped(schema);
  if (!(object instanceof ZodObject)) return [];
  return Object.entries(object.shape as Readonly<Record<string, z.ZodType>>).flatMap(([key, field]) => {
    const list = unwrapped(field);
    return list instanceof ZodArray ? [[key, list] as const] : [];
  });
};

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof ZodOptional || schema instanceof ZodDefault || schema instanceof ZodPrefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
