// Parses a body as JSON and rejects what could not be stored as it was sent: text that is not UTF-8, lone surrogates,
// control characters, numbers that a double would change, and the key `__proto__`. Of a repeated key, the last value counts
// (RFC 8259, 4). A scan of the text finds most bodies in order; the values of the others are inspected, one by one, until
// the first error that `refused` omits.
import { randomUUID } from 'node:crypto';
import { Problem } from '../problems/problems.js';
import type { RequestErrors } from '../problems/request-errors.js';

const DEEPEST = 100;
// Control characters other than tab and line ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them (Unicode category Cc)
export const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The message of the error `control-character`. */
export const NO_CONTROL = 'must not have control characters other than tab and line ends';

const INEXACT_ADVICE =
  'must be a number that a double keeps: exactly if it is whole, otherwise to 15 digits. Send others as texts';

/** A parsed body. */
export interface ReadJson {
  readonly value: unknown;
  /** The number of values in the body, including the body itself; empty containers may count twice. */
  readonly size: number;
}

/** Parses a body and adds its errors to `refused`. Throws `malformed-json` if the body is not JSON in UTF-8. */
export const readJson = (bytes: Buffer, refused: RequestErrors): ReadJson => {
  const text = decode(bytes);
  const value = parse(text);
  const { size, deepest, changed } = new Scan(text);
  const isSuspect = changed.length > 0 || deepest > DEEPEST || SUSPECT.test(text);
  if (isSuspect) new Inspector(refused).inspect(changed.length > 0 ? parse(marked(text, changed)) : value);
  return { value, size };
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

// Without these, no text of a body has a control character or half of a surrogate pair, and no member is `__proto__`.
const SUSPECT = /\\u|[\u007f-\u009f]|__proto__/;
const [QUOTE, BACKSLASH, COMMA, PLUS, MINUS, DOT, ZERO, NINE, E] = [34, 92, 44, 43, 45, 46, 48, 57, 101];
// The brackets of lists differ from those of objects, and capitals from small letters, in this bit only.
const CASE = 32;
const [OPEN, CLOSE] = [123, 125];

/** A place in a text: its start and its end. */
type Span = readonly [start: number, end: number];

/** Counts the values of a JSON text and its depth, and finds the numbers that a double would change. */
class Scan {
  readonly #text: string;
  #depth = 0;
  size = 1;
  deepest = 0;
  readonly changed: Span[] = [];

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at < text.length; ) at = this.#take(at, text.charCodeAt(at));
  }

  /** Takes what begins at a place. Returns the place after it. */
  #take(at: number, code: number): number {
    if (code === QUOTE) return endOfText(this.#text, at) + 1;
    if (code === MINUS || isDigit(code)) return this.#takeNumber(at);
    if (code === COMMA) this.size += 1;
    else if ((code | CASE) === OPEN) this.#open();
    else if ((code | CASE) === CLOSE) this.#depth -= 1;
    return at + 1;
  }

  #takeNumber(start: number): number {
    const text = this.#text;
    let [end, exponent] = [start + 1, 0];
    for (let code = text.charCodeAt(end); isOfNumber(code); code = text.charCodeAt(end)) {
      if ((code | CASE) === E) exponent = end;
      end += 1;
    }
    // A double keeps every number of 15 digits, unless it is very large or small.
    const isShort = (exponent || end) - start <= 15;
    if (!(isShort && exponent === 0) && !isKept(text.slice(start, end), isShort)) this.changed.push([start, end]);
    return end;
  }

  #open(): void {
    this.size += 1;
    this.#depth += 1;
    this.deepest = Math.max(this.deepest, this.#depth);
  }
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === DOT || code === PLUS || code === MINUS || (code | CASE) === E;

/** Returns the place of the quotation mark that ends the text which begins at `start`. */
const endOfText = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
};

// The smallest number with all digits of a double (IEEE 754).
const SMALLEST_NORMAL = 2 ** -1_022;

/** Returns whether a double keeps a number: exactly if it is whole, otherwise within 1e-15 of its value. */
const isKept = (token: string, isShort: boolean): boolean => {
  const double = Number(token);
  // What no double can hold is found when the values are inspected.
  if (!Number.isFinite(double)) return false;
  if (double === 0) return !/^[^eE]*[1-9]/.test(token);
  const isNormal = Math.abs(double) >= SMALLEST_NORMAL;
  // A double rounds to 1.1e-16 of the value, and the double of every whole number is whole.
  if (isNormal && (isShort || !Number.isInteger(double))) return true;
  return `${double}` === token || isNearest(token, double, isNormal);
};

const isNearest = (token: string, double: number, isNormal: boolean): boolean => {
  const [sent, kept] = [decimalOf(token), decimalOf(`${double}`)];
  if (sent.exponent >= 0) return sent.digits === kept.digits && sent.exponent === kept.exponent;
  return isNormal || isNear(sent, kept);
};

interface Decimal {
  /** The digits without zeros at the beginning and at the end; empty for 0. */
  readonly digits: string;
  /** The power of ten of the last digit; 0 for 0. */
  readonly exponent: number;
}

const decimalOf = (token: string): Decimal => {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)\.?(\d*)(?:[eE](.*))?$/.exec(token) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return { digits, exponent: digits === '' ? 0 : Number(power) - fraction.length + all.length - digits.length };
};

/** Returns whether two numbers differ by at most 1e-15 of the first. */
const isNear = (one: Decimal, other: Decimal): boolean => {
  // More digits change nothing in the 15th.
  const digits = one.digits.slice(0, 40);
  const exponent = one.exponent + one.digits.length - digits.length;
  const least = Math.min(exponent, other.exponent);
  const [a, b] = [scaled(digits, exponent - least), scaled(other.digits, other.exponent - least)];
  return (a > b ? a - b : b - a) * 10n ** 15n <= a;
};

const scaled = (digits: string, zeros: number): bigint => BigInt(digits + '0'.repeat(zeros));

// Replaces each number that a double would change, so that the inspection finds its pointer. Clients do not know this
// text.
const INEXACT = randomUUID();

/** Returns a JSON text with `INEXACT` in place of the numbers that a double would change. */
const marked = (text: string, changed: readonly Span[]): string => {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of changed) {
    const token = text.slice(start, end);
    parts.push(text.slice(at, start), Number.isFinite(Number(token)) ? JSON.stringify(INEXACT) : token);
    at = end;
  }
  return `${parts.join('')}${text.slice(at)}`;
};

const malformed = (message: string) =>
  new Problem('malformed-json', { errors: [{ pointer: '', code: 'malformed-json', message }] });

/** Checks every value of a body. */
class Inspector {
  readonly #refused: RequestErrors;
  // One array that grows and shrinks during the walk. It becomes a pointer only if a value is rejected.
  readonly #path: (string | number)[] = [];

  constructor(refused: RequestErrors) {
    this.#refused = refused;
  }

  inspect(value: unknown): void {
    if (typeof value === 'string') this.#inspectText(value);
    else if (typeof value === 'number') this.#inspectNumber(value);
    else if (typeof value === 'object' && value !== null) this.#inspectContainer(value);
  }

  #inspectContainer(value: object): void {
    if (this.#path.length === DEEPEST) {
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
    for (const key of Object.keys(value)) {
      if (this.#refused.isCut) return;
      this.#path.push(key);
      if (key === '__proto__') this.#refused.inBody(this.#path, 'key-not-allowed', 'must not be named __proto__');
      this.#inspectText(key);
      this.inspect(value[key]);
      this.#path.pop();
    }
  }

  #inspectText(text: string): void {
    if (text === INEXACT) this.#refused.inBody(this.#path, 'inexact-number', INEXACT_ADVICE);
    if (!text.isWellFormed())
      this.#refused.inBody(this.#path, 'lone-surrogate', 'must not have half of a surrogate pair');
    if (CONTROL.test(text)) this.#refused.inBody(this.#path, 'control-character', NO_CONTROL);
  }

  #inspectNumber(value: number): void {
    if (!Number.isFinite(value))
      this.#refused.inBody(this.#path, 'not-finite', 'must be a number that a double can hold');
  }
}
