// Parses a body as JSON and rejects what could not be stored as it was sent: text that is not UTF-8, lone surrogates,
// control characters, numbers that a double would change, and the key `__proto__`. Of a repeated key, the last value counts
// (RFC 8259, 4). Stops at the first error that `refused` omits.
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
  /** The number of values in the body, including the body itself. */
  readonly size: number;
}

/** Parses a body and adds its errors to `refused`. Throws `malformed-json` if the body is not JSON in UTF-8. */
export const readJson = (bytes: Buffer, refused: RequestErrors): ReadJson => {
  const text = decode(bytes);
  const value = parse(text);
  const marked = MAY_CHANGE.test(text) ? text.replaceAll(TEXT_OR_NUMBER, markedToken) : text;
  const inspector = new Inspector(refused);
  inspector.inspect(marked === text ? value : parse(marked));
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

// A double keeps every number of 15 digits, unless it is very large or small, which takes an exponent or more digits.
const MAY_CHANGE = /\d[\d.]{15}|\d[eE]/;
// Numbers in texts are no numbers, so texts are matched as a whole.
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*[eE][+-]?\d+|-?\d[\d.]{15,}/g;
const HAS_15_DIGITS = /^-?[\d.]{1,15}(?![\d.])/;

// Replaces each number that a double would change, so that the inspection finds its pointer. Clients do not know this
// text.
const INEXACT = randomUUID();

const markedToken = (token: string): string =>
  token.startsWith('"') || isKept(token) ? token : JSON.stringify(INEXACT);

// The smallest number with all digits of a double (IEEE 754).
const SMALLEST_NORMAL = 2 ** -1_022;

/** Returns whether a double keeps a number: exactly if it is whole, otherwise within 1e-15 of its value. */
const isKept = (token: string): boolean => {
  const double = Number(token);
  if (double === 0) return !/^[^eE]*[1-9]/.test(token);
  // What no double can hold is found when the values are inspected.
  const isUsual = Math.abs(double) >= SMALLEST_NORMAL;
  // A double rounds to 1.1e-16 of the value, and the double of every whole number is whole.
  if (isUsual && (!Number.isInteger(double) || HAS_15_DIGITS.test(token))) return true;
  const [sent, kept] = [decimalOf(token), decimalOf(`${double}`)];
  if (sent.exponent >= 0) return sent.digits === kept.digits && sent.exponent === kept.exponent;
  return isUsual || isNear(sent, kept);
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
  // An expression for zeros at the end would begin again at each zero before.
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const digits = all.slice(0, end);
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

const malformed = (message: string) =>
  new Problem('malformed-json', { errors: [{ pointer: '', code: 'malformed-json', message }] });

/** Checks every value of a body. */
class Inspector {
  readonly #refused: RequestErrors;
  // One array that grows and shrinks during the walk. It becomes a pointer only if a value is rejected.
  readonly #path: (string | number)[] = [];
  size = 0;

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
