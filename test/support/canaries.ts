// Creates unique personal values and searches bytes for them in every encoding.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A person with a unique value in every personal field. `reasons` are texts about the person. */
export interface Canaries {
  readonly firstName: string;
  readonly lastName: string;
  readonly document: string;
  readonly birthDate: string;
  readonly phone: string;
  readonly email: string;
  readonly documentDoctor: string;
  readonly documentDoctorState: string;
  readonly documentDoctorUpdatedAt: string;
  readonly reasons: readonly string[];
}

const digits = (count: number) => `${Math.random()}`.slice(2, 2 + count).padEnd(count, '7');
const word = () => randomUUID().slice(0, 8);
const day = (century: number) => `${century}${digits(2)}-0${1 + (Number(digits(1)) % 9)}-1${digits(1)}`;

/** Returns new unique values. The names have accents and capitals, which indexes fold. */
export const newCanaries = (): Canaries => {
  const cpf = digits(11);
  return {
    firstName: `Canária-É${word()}`,
    lastName: `Sentinélla Ção${word()}`,
    document: `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`,
    birthDate: day(19),
    phone: `11 9${6 + (Number(digits(1)) % 3)}${digits(3)}-${digits(4)}`,
    email: `Canary.${word()}@Example.org`,
    documentDoctor: `CRM/SP ${digits(9)}`,
    documentDoctorState: `Estado-Ñ${word()}`,
    documentDoctorUpdatedAt: day(20),
    reasons: [`Razão-${word()}: "it" has lapsed`, `Razão-${word()}: revoked`, `Razão-${word()}: explained`],
  };
};

/** Returns all values as a list. */
export const valuesOf = ({ reasons, ...fields }: Canaries): readonly string[] => [...Object.values(fields), ...reasons];

/** Returns the values that occur in the bytes in any form. */
export const foundIn = (bytes: Buffer, canaries: Canaries): readonly string[] => foundOf(bytes, valuesOf(canaries));

/** Returns those of some values that occur in the bytes in any form. Scans the bytes once for all forms of all values. */
export const foundOf = (bytes: Buffer, values: readonly string[]): readonly string[] => {
  const formsAt = byPrefix(values);
  const found = new Set<string>();
  for (let at = 0; at + PREFIX_BYTES <= bytes.length; at += 1) {
    for (const { value, form } of formsAt.get(bytes.readUInt32BE(at)) ?? []) {
      if (form.equals(bytes.subarray(at, at + form.length))) found.add(value);
    }
  }
  return values.filter((value) => found.has(value));
};

interface FormOfValue {
  readonly value: string;
  readonly form: Buffer;
}

// Every form has at least this many bytes.
const PREFIX_BYTES = 4;

/** Returns every form of the values by its first four bytes. */
const byPrefix = (values: readonly string[]): ReadonlyMap<number, readonly FormOfValue[]> => {
  const forms = new Map<number, FormOfValue[]>();
  for (const value of values) {
    for (const form of formsOf(value)) {
      const prefix = form.readUInt32BE();
      forms.set(prefix, [...(forms.get(prefix) ?? []), { value, form }]);
    }
  }
  return forms;
};

/** Returns the bytes of all files under a directory whose names begin with one of `prefixes`. */
export const bytesUnder = (directory: string, ...prefixes: readonly string[]): Buffer => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)))
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile());
  return Buffer.concat(files.map((file) => readFileSync(file)));
};

/** Returns the bytes of a value in every form in which a store or an index might have it. */
const formsOf = (value: string): readonly Buffer[] => [...new Set(textsOf(value))].flatMap(encoded);

const textsOf = (value: string): readonly string[] => {
  const folded = value.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const bare = [value, folded].map((text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  const digitsOnly = value.replaceAll(/\D/g, '');
  const texts = [value, folded, value.normalize('NFD'), ...bare, ...(digitsOnly.length >= 8 ? [digitsOnly] : [])];
  const cased = texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]);
  return cased.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), asciiJson(text), encodeURIComponent(text)]);
};

/** Returns a text as JSON that has only ASCII characters. */
const asciiJson = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

const encoded = (text: string): readonly Buffer[] => {
  const bytes = Buffer.from(text);
  const utf16 = Buffer.from(text, 'utf16le');
  return [bytes, utf16, Buffer.from(utf16).swap16(), Buffer.from(bytes.toString('hex')), ...base64(bytes)];
};

// The base64 of a text depends on its offset in a group of three bytes. The characters that also encode neighbouring
// bytes are cut off. Short texts are not searched in this form, because random data contains them by chance.
const base64 = (bytes: Buffer): readonly Buffer[] =>
  [0, 1, 2].flatMap((by) => {
    const shifted = Buffer.concat([Buffer.alloc(by), bytes]);
    const from = [0, 2, 3][by] ?? 0;
    const to = shifted.length % 3 === 0 ? undefined : -1;
    return [shifted.toString('base64').replace(/=+$/, ''), shifted.toString('base64url')]
      .map((text) => text.slice(from, to))
      .filter((text) => text.length >= SHORTEST_BASE64)
      .map((text) => Buffer.from(text));
  });
const SHORTEST_BASE64 = 10;
