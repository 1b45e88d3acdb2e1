// The texts of requests: where a schema takes one, and the shapes that cost most to check.
import { z } from 'zod';

/** A text in a schema: the path to it, with 0 for an item of a list, its own schema, and the schemas that contain it. */
export interface TextPlace {
  readonly path: readonly string[];
  readonly schema: z.ZodString;
  readonly within: readonly z.ZodType[];
}

/** Returns the schemas directly inside of a schema, with the keys that lead to them. */
const partsOf = (schema: z.ZodType): readonly (readonly [path: readonly string[], part: unknown])[] => {
  const { shownAs } = (schema.meta() ?? {}) as { readonly shownAs?: z.ZodType };
  if (shownAs !== undefined) return [[[], shownAs]];
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape).map(([key, member]) => [[key], member]);
  if (schema instanceof z.ZodArray) return [[['0'], schema.element]];
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => [[], option]);
  if (schema instanceof z.ZodRecord) return [schema.keyType, schema.valueType].map((part) => [['key'], part]);
  if (schema instanceof z.ZodPipe) return [[[], schema.in instanceof z.ZodTransform ? schema.out : schema.in]];
  if ('unwrap' in schema && typeof schema.unwrap === 'function') return [[[], schema.unwrap()]];
  return [];
};

const WITHOUT_TEXTS = [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodUnknown];

/** Returns the texts of a schema. Throws if a schema is of a kind that it does not know. */
export const textsOf = (
  schema: z.ZodType,
  { path, within }: Pick<TextPlace, 'path' | 'within'> = { path: [], within: [] },
): readonly TextPlace[] => {
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) {
    return [{ path, schema: schema as z.ZodString, within }];
  }
  const parts = partsOf(schema);
  const isEmpty = schema instanceof z.ZodObject || WITHOUT_TEXTS.some((kind) => schema instanceof kind);
  if (parts.length === 0 && !isEmpty) throw new Error(`${path.join('/')}: what texts has a ${schema.def.type}?`);
  return parts.flatMap(([keys, part]) =>
    textsOf(part as z.ZodType, { path: [...path, ...keys], within: [...within, schema] }),
  );
};

type Json = Record<string, unknown>;

/** Returns a copy of a body in which the field has this value. Creates the objects and lists that contain the field. */
export const withField = (body: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown => {
  const copy = (Array.isArray(body) ? [...body] : { ...(body as Json) }) as Json;
  const inner = copy[key] ?? (/^\d/.test(rest[0] ?? '') ? [] : {});
  copy[key] = rest.length === 0 ? value : withField(inner, rest, value);
  return copy;
};

/** Makes a text of about this many bytes of UTF-8. */
type Shape = (bytes: number) => string;

const filled =
  (before: string, item: string, after = ''): Shape =>
  (bytes) =>
    `${before}${item.repeat((bytes - Buffer.byteLength(before + after)) / Buffer.byteLength(item))}${after}`;

/** Texts of ASCII that are expensive for one expression or another. */
export const asciiShapes: Readonly<Record<string, Shape>> = {
  'one letter': filled('', 'a'),
  'letters before a sign': filled('', 'a', '!'),
  'digits between letters': filled('a', '1', 'a'),
  'digits after a plus sign': filled('+', '1', 'x'),
  'labels of a domain': filled('a@', 'a.'),
  'words of an address': filled('', 'a.', '@'),
  'spaces between letters': filled('a', ' ', 'a'),
  'opening brackets': filled('', '(['),
  'alternating quotes': filled('', `'\\"`),
  'entity tags': filled('', '"a" , ', 'x'),
  separators: filled('', ',;/=-'),
};

/** Texts that are expensive for one expression or another. */
export const hostileShapes: Readonly<Record<string, Shape>> = {
  ...asciiShapes,
  'marks that have to be sorted': filled('a', '\u0316\u0301'),
  'tags after a black flag': filled('\u{1F3F4}', '\u{E0061}', 'a'),
  'black flags': filled('', '\u{1F3F4}\u{E0061}'),
  'a letter that stands for eighteen': filled('', '\uFDFA'),
  'digits of another script': filled('', '\u{116E3}'),
  fillers: filled('', '\u3164'),
};
