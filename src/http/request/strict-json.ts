// Parses a body as JSON and rejects what could not be stored as it was sent: text that is not UTF-8, lone surrogates,
// control characters, numbers that no double can hold, the key `__proto__`, and duplicate keys, which parsers treat
// differently (RFC 8259, 4). Stops at the first error that `refused` omits.
import { type JSONPath, visit } from 'jsonc-parser';
import { Problem } from '../problems/problems.js';
import type { RequestErrors } from '../problems/request-errors.js';

const DEEPEST = 100;
// Control characters other than tab and line ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them (Unicode category Cc)
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
// A double holds every number with fewer digits than this exactly (IEEE 754: 15 decimal digits).
const MANY_DIGITS = 16;

/** A parsed body. */
export interface ReadJson {
  readonly value: unknown;
  /** The number of values in the body, including the body itself. */
  readonly size: number;
}

/** Parses a body and adds its errors to `refused`. Throws `malformed-json` if the body is not JSON in UTF-8. */
export const readJson = (bytes: Buffer, refused: RequestErrors): ReadJson => {
  const text = decode(bytes);
  const value = parse(text);
  const inspector = new Inspector(refused);
  inspector.inspect(value);
  const { members, longestNumber } = measure(text);
  const hidesSomething = members > inspector.members || longestNumber >= MANY_DIGITS;
  // The second pass is recursive, so it must not read a body that is nested too deeply.
  if (hidesSomething && !inspector.isTooDeep && !refused.isCut) inspectText(text, refused);
  return { value, size: inspector.size };
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Buffer): string => {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw malformed('must be UTF-8');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw malformed(`must be JSON${position === undefined ? '' : `: something is wrong ${position}`}`);
  }
};

const malformed = (message: string) =>
  new Problem('malformed-json', { errors: [{ pointer: '', code: 'malformed-json', message }] });

/** Checks every value of a body. */
class Inspector {
  readonly #refused: RequestErrors;
  // One array that grows and shrinks during the walk. It becomes a pointer only if a value is rejected.
  readonly #path: (string | number)[] = [];
  size = 0;
  members = 0;
  isTooDeep = false;

  constructor(refused: RequestErrors) {
    this.#refused = refused;
  }

  inspect(value: unknown): void {
    this.size += 1;
    if (typeof value === 'string') this.#inspectText(value);
    else if (typeof value === 'number') this.#inspectNumber(value);
    else if (typeof value === 'object' && value !== null) this.#inspectContainer(value);
  }

  #inspectContainer(value: object): void {
    if (this.#path.length === DEEPEST) {
      this.isTooDeep = true;
      this.#refused.inBody(this.#path, 'too-deep', `must not be nested deeper than ${DEEPEST}`);
    } else if (Array.isArray(value)) this.#inspectItems(value);
    else this.#inspectMembers(value as Readonly<Record<string, unknown>>);
  }

  #inspectItems(items: readonly unknown[]): void {
    for (let index = 0; index < items.length && !this.#refused.isCut; index += 1) {
      this.#path.push(index);
      this.inspect(items[index]);
      this.#path.pop();
    }
  }

  #inspectMembers(value: Readonly<Record<string, unknown>>): void {
    const keys = Object.keys(value);
    this.members += keys.length;
    for (const key of keys) {
      if (this.#refused.isCut) return;
      this.#path.push(key);
      if (key === '__proto__') this.#refused.inBody(this.#path, 'key-not-allowed', 'must not be named __proto__');
      this.#inspectText(key);
      this.inspect(value[key]);
      this.#path.pop();
    }
  }

  #inspectText(text: string): void {
    if (!text.isWellFormed())
      this.#refused.inBody(this.#path, 'lone-surrogate', 'must not have half of a surrogate pair');
    if (!CONTROL.test(text)) return;
    this.#refused.inBody(
      this.#path,
      'control-character',
      'must not have control characters other than tab and line ends',
    );
  }

  #inspectNumber(value: number): void {
    if (!Number.isFinite(value))
      this.#refused.inBody(this.#path, 'not-finite', 'must be a number that a double can hold');
  }
}

const codeOf = (character: string) => character.charCodeAt(0);
const QUOTE = codeOf('"');
const BACKSLASH = codeOf('\\');
const COLON = codeOf(':');
const ZERO = codeOf('0');
const NINE = codeOf('9');

/** Counts what JSON.parse does not report: the members in the text of a body, and the digits of its longest number. */
const measure = (text: string): { readonly members: number; readonly longestNumber: number } => {
  let [members, digits, longestNumber] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    // Outside of strings, a colon occurs only in members.
    if (code === COLON) members += 1;
    digits = code >= ZERO && code <= NINE ? digits + 1 : 0;
    longestNumber = Math.max(longestNumber, digits);
  }
  return { members, longestNumber };
};

/** Returns the end of the string whose opening quotation mark is at `begin`. */
const endOfText = (text: string, begin: number): number => {
  let at = begin + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1;
  return at;
};

/** Stops a visit early. jsonc-parser offers no other way. */
const ENOUGH = new Error('enough was found');

// Finds what JSON.parse hides: it rounds integers, and keeps only the last of several members with the same key.
const inspectText = (text: string, refused: RequestErrors): void => {
  const seen: Set<string>[] = [];
  const refuse = (path: JSONPath, code: string, message: string) => {
    refused.inBody(path, code, message);
    if (refused.isCut) throw ENOUGH;
  };
  try {
    visit(text, {
      onObjectBegin: () => void seen.push(new Set()),
      onObjectEnd: () => void seen.pop(),
      onObjectProperty: (key: string, ...rest) => {
        const path: () => JSONPath = rest[4];
        const keys = seen.at(-1);
        if (keys?.has(key)) refuse([...path(), key], 'duplicate-key', 'must not come twice in its object');
        keys?.add(key);
      },
      onLiteralValue: (value: unknown, offset: number, length: number, ...rest) => {
        if (length < MANY_DIGITS || typeof value !== 'number' || isExact(text.slice(offset, offset + length))) return;
        const path: () => JSONPath = rest[2];
        refuse(path(), 'not-exact', 'must be sent as text: a double cannot hold this integer exactly');
      },
    });
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
};

/** Returns whether a double holds this number exactly. Always true for a number that is not written as an integer. */
const isExact = (literal: string): boolean => {
  const value = Number(literal);
  return !Number.isFinite(value) || !/^-?\d+$/.test(literal) || BigInt(literal) === BigInt(value);
};
