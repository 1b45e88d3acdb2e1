// Draws commands and events of any aggregate from their schemas. Ids are drawn as places in lists of ids, such as
// `profileId:7`, and become real ids when the state is known.
import fc from 'fast-check';
import { z } from 'zod';
import type { Decider, Of, Schemas } from '../../../src/domain/decider.js';
import { highestPosition } from '../../../src/domain/fields.js';
import { type Sent, uuidOf } from '../../support/specification.js';

/** Ids by the name of the field that names them; for the `id` of an item, by the name of its list. */
type Ids = Readonly<Record<string, readonly string[]>>;

/** How often each type is drawn. */
export type Weights<C extends Schemas> = { readonly [T in keyof C & string]?: number };

const UNKNOWN = 13;
const PLACE = /^(?<field>\w+):(?<place>\d+)$/;

/**
 * Returns a drawn value with ids in place of places. One place in forty, and every place in an empty list,
 * becomes an unknown id.
 */
export const aimed = <T>(drawn: T, known: Ids): T =>
  JSON.parse(JSON.stringify(drawn), (_, value: unknown) => {
    const { field = '', place } = (typeof value === 'string' && PLACE.exec(value)?.groups) || {};
    if (place === undefined) return value;
    const [ids = [], n] = [known[field], Number(place)];
    return (n === UNKNOWN ? undefined : ids[n % ids.length]) ?? uuidOf(0xe0_000 + n);
  });

/** Draws commands of these types. */
export const commandsOf = <S, E extends Schemas, C extends Schemas>(
  { commands }: Decider<S, E, C>,
  weights: Weights<C>,
): fc.Arbitrary<Sent<C>> =>
  fc.oneof(
    ...Object.entries(weights).map(([type, weight]) => ({
      weight: Number(weight),
      arbitrary: drawnFrom(commands[type] ?? z.never(), type).map((data) => ({ type, data }) as Sent<C>),
    })),
  );

/**
 * Draws any event as it is read from a log, regardless of the events before it. There are few ids, so that events share
 * them and use ids of the wrong kind.
 */
export const eventsOf = <S, E extends Schemas, C extends Schemas>({ events }: Decider<S, E, C>): fc.Arbitrary<Of<E>> =>
  fc.oneof(
    ...Object.entries(events).map(([type, schema]) =>
      drawnFrom(schema, type).map((data) => withFewIds({ type, data }) as Of<E>),
    ),
  );

/** Returns a drawn value in which every id is one of six. */
export const withFewIds = <T>(drawn: T): T =>
  JSON.parse(JSON.stringify(drawn), (_, value: unknown) => {
    const place = typeof value === 'string' ? PLACE.exec(value)?.groups?.['place'] : undefined;
    return place === undefined ? value : uuidOf(Number(place) % 6);
  });

// None is longer than the shortest limit of a text.
const TEXTS = ['Where?', 'When?', 'When? ', 'Ana', 'ÉCLAIR', '漢方クリニック', 'o\u0303', '👩🏽\u200d⚕️', '529.982'];
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  email: ['Ana@example.org', 'bia@example.org', 'EVA@example.org'],
  date: ['1984-02-29', '2025-12-31'],
};
const graphemes = fc.string({ unit: 'grapheme', maxLength: 9 }).map((text) => `${text}.`);
const LONG_ENOUGH = 200;

const textFor: Draw<z.ZodString> = (schema, field) => {
  const { format, maxLength } = schema;
  if (format === 'guid') return fc.nat(40).map((place) => `${field}:${place}`);
  const known = fc.constantFrom(...((format && FORMATS[format]) || TEXTS));
  return format === null && (maxLength ?? LONG_ENOUGH) >= LONG_ENOUGH ? fc.oneof(known, graphemes) : known;
};

const numberFor: Draw<z.ZodNumber> = ({ minValue, maxValue }, field) => {
  if (maxValue === highestPosition) {
    return fc.oneof({ weight: 9, arbitrary: fc.nat(7) }, fc.constantFrom(highestPosition - 1, highestPosition));
  }
  const lowest = Math.max(-9, minValue ?? -9);
  // A lowest and a highest value that are drawn together are seldom in the wrong order.
  if (field.startsWith('min')) return fc.integer({ min: lowest, max: Math.max(lowest, 0) });
  if (field.startsWith('max') || lowest >= 0) return fc.integer({ min: Math.max(lowest, 0), max: lowest + 19 });
  // JSON has no -0.
  return fc.oneof(
    fc.integer({ min: -9, max: 9 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  );
};

const openMembers = fc.dictionary(fc.constantFrom('a.b', '$set', 'hint'), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 2,
});

type Draw<S> = (schema: S, field: string) => fc.Arbitrary<unknown>;

const object: Draw<z.ZodObject> = ({ shape, def }, field) => {
  const members = Object.entries(shape).map(([name, member]) => [
    name,
    drawnFrom(member, name === 'id' ? field : name),
  ]);
  const known = fc.record<object>(Object.fromEntries(members), { noNullPrototype: true });
  return def.catchall === undefined ? known : fc.tuple(known, openMembers).map(([a, b]) => ({ ...a, ...b }));
};
const array: Draw<z.ZodArray<z.ZodType>> = ({ element, def }, field) => {
  const minimums = (def.checks ?? []).map(({ _zod }) => ('minimum' in _zod.def ? Number(_zod.def.minimum) : 0));
  return fc.array(drawnFrom(element, field), { minLength: Math.max(0, ...minimums), maxLength: 3 });
};
const optional: Draw<z.ZodOptional<z.ZodType>> = (schema, field) =>
  fc.option(drawnFrom(schema.unwrap(), field), { nil: undefined });
const nullable: Draw<z.ZodNullable<z.ZodType>> = (schema, field) => fc.option(drawnFrom(schema.unwrap(), field));
const anyOf: Draw<z.ZodEnum> = ({ options }) => fc.constantFrom(...options);
const literal: Draw<z.ZodLiteral> = ({ values }) => fc.constantFrom(...values);
// The bounds of metadata, the only union, must fit the type of their question. Drawn apart from it, most would not.
const union = () => fc.constant(undefined);
const record = () => fc.dictionary(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS));

const BY_TYPE: Readonly<Record<string, Draw<never>>> = {
  ...{ object, array, optional, default: optional, nullable, enum: anyOf, union, record },
  ...{ boolean: () => fc.boolean(), number: numberFor, string: textFor, literal },
};

/** Draws values of a schema. Rules across fields and rules of single characters may still refuse them. */
const drawnFrom: Draw<z.ZodType> = (schema, field) => {
  const draw = BY_TYPE[schema.def.type];
  if (draw === undefined) throw new Error(`nothing is drawn for ${field}, which is a ${schema.def.type}`);
  return draw(schema as never, field);
};
