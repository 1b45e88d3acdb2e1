// Parses a body as JSON and rejects what could not be stored as it was sent: text that is not UTF-8, lone surrogates,
// control characters, numbers that no double can hold, integers that a double would change, and the key `__proto__`. Of a
// repeated key, the last value counts (RFC 8259, 4). Stops at the first error that `refused` omits.
import { randomUUID } from 'node:crypto';
import { Problem } from '../problems/problems.js';
import type { RequestErrors } from '../problems/request-errors.js';

const DEEPEST = 100;
// Control characters other than tab and line ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them (Unicode category Cc)
export const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The message of the error `control-character`. */
export const NO_CONTROL = 'must not have control characters other than tab and line ends';

const INEXACT_ADVICE = 'must not have more digits than a double keeps: send it as a text';

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
  inspector.inspect(LONG_NUMBER.test(text) ? parse(text.replaceAll(STRING_OR_NUMBER, marked)) : value);
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

// A double keeps every integer of 15 digits.
const LONG_NUMBER = /\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
// Replaces each integer that a double would change, so that the inspection finds its pointer. Clients do not know this
// text.
const INEXACT = randomUUID();

/** Returns a token of a JSON text, or `INEXACT` in place of an integer that a double would change. */
const marked = (token: string): string => {
  if (!/^-?\d{16,}$/.test(token)) return token;
  const double = Number(token);
  return Number.isFinite(double) && digitsOf(double) !== token ? JSON.stringify(INEXACT) : token;
};

/** Returns the shortest text of a double that is an integer, without an exponent. */
const digitsOf = (double: number): string => {
  const [mantissa = '', exponent] = `${double}`.split('e+');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  return whole + fraction.padEnd(Number(exponent), '0');
};

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
