// What the rows of fields have in common.
import { numbered } from '../../support/samples.js';

/** A field, as a JSON pointer without the first slash, a value that is refused, and the code. Undefined means no value. */
export type Row = readonly [field: string, value: unknown, code: string];

export const ID = '018f4c3e-0000-7000-8000-000000000001';
/** Returns a text of this many characters. */
export const text = (length: number) => 'x'.repeat(length);
export const list = <T>(length: number, item: T): readonly T[] => numbered(length, () => item);
export const required = (...fields: readonly string[]) => fields.map((field): Row => [field, undefined, 'required']);
/** Returns rows of the fields of an object, as fields of the object that contains it. */
export const within = (parent: string, rows: readonly Row[]) =>
  rows.map(([field, value, code]): Row => [`${parent}/${field}`, value, code]);

export const decision: readonly Row[] = [
  ['reason', ' ', 'blank'],
  ['reason', text(2_001), 'too-big'],
];
