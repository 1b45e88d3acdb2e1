// Reads a body as JSON and refuses what would not be kept as it was sent: text that is no UTF-8, lone surrogates and
// control characters, numbers that no double holds, a key that JavaScript would take for a prototype.
import { type JSONPath, visit } from 'jsonc-parser';
import { Problem, pointerTo, type RequestError } from './problems.js';

const DEEPEST = 100;
// Control characters other than tab and line ends.
const CONTROL = /[^\P{Cc}\t\n\r]/u;
// Fewer digits than this are exact in a double, whatever they are (IEEE 754: 15 decimal digits).
const MANY_DIGITS = /\d{16}/;

/** What a body holds, and everything in it that is refused wherever it stands. Throws `malformed-json`. */
export const readJson = (bytes: Buffer): { readonly value: unknown; readonly errors: readonly RequestError[] } => {
  const text = decode(bytes);
  const value = parse(text);
  const errors: RequestError[] = [];
  inspect(value, [], errors);
  // The second look recurses, so it must not be had at what is nested without end.
  if (MANY_DIGITS.test(text) && !errors.some(({ code }) => code === 'too-deep')) inspectIntegers(text, errors);
  return { value, errors };
};

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('the body is not UTF-8');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw malformed(`the body is not JSON${position === undefined ? '' : `: something is wrong ${position}`}`);
  }
};

const malformed = (message: string) =>
  new Problem('malformed-json', { errors: [{ pointer: '', code: 'malformed-json', message }] });

const inspect = (value: unknown, path: readonly (string | number)[], errors: RequestError[]): void => {
  if (typeof value === 'string') inspectText(value, path, errors);
  else if (typeof value === 'number') inspectNumber(value, path, errors);
  else if (typeof value === 'object' && value !== null) inspectMembers(value, path, errors);
};

const inspectMembers = (value: object, path: readonly (string | number)[], errors: RequestError[]): void => {
  if (path.length === DEEPEST) {
    errors.push({ pointer: pointerTo(path), code: 'too-deep', message: `may not be nested deeper than ${DEEPEST}` });
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) inspect(item, [...path, index], errors);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    inspectKey(key, path, errors);
    inspect(member, [...path, key], errors);
  }
};

const inspectKey = (key: string, path: readonly (string | number)[], errors: RequestError[]): void => {
  if (key === '__proto__') {
    errors.push({ pointer: pointerTo([...path, key]), code: 'key-not-allowed', message: '__proto__ cannot be a key' });
  }
  inspectText(key, [...path, key], errors);
};

const inspectText = (text: string, path: readonly (string | number)[], errors: RequestError[]): void => {
  const pointer = pointerTo(path).toWellFormed();
  if (!text.isWellFormed()) errors.push({ pointer, code: 'lone-surrogate', message: 'holds half of a surrogate pair' });
  if (CONTROL.test(text)) {
    errors.push({
      pointer,
      code: 'control-character',
      message: 'holds a control character other than tab and line ends',
    });
  }
};

const inspectNumber = (value: number, path: readonly (string | number)[], errors: RequestError[]): void => {
  if (Number.isFinite(value)) return;
  errors.push({ pointer: pointerTo(path), code: 'not-finite', message: 'is beyond what a double can hold' });
};

// JSON.parse has rounded them already, so the text itself is looked at.
const inspectIntegers = (text: string, errors: RequestError[]): void => {
  visit(text, {
    onLiteralValue: (value: unknown, offset: number, length: number, ...rest) => {
      const literal = text.slice(offset, offset + length);
      const isInteger = Number.isFinite(value) && /^-?\d+$/.test(literal);
      const isExact = !isInteger || BigInt(literal) === BigInt(value as number);
      const path: () => JSONPath = rest[2];
      const message = 'is an integer that a double cannot hold exactly: send it as text';
      if (!isExact) errors.push({ pointer: pointerTo(path()), code: 'not-exact', message });
    },
  });
};
