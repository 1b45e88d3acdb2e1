// Reads a body as JSON and refuses what would not be kept as it was sent: text that is no UTF-8, lone surrogates and
// control characters, numbers that no double holds, a key that JavaScript would take for a prototype, a key that comes
// twice: of two values readers differ which one counts (RFC 8259, 4).
import { type JSONPath, visit } from 'jsonc-parser';
import { Problem, pointerTo, type RequestError } from './problems.js';

const DEEPEST = 100;
// Control characters other than tab and line ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for (Unicode category Cc)
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
// Fewer digits than this are exact in a double, whatever they are (IEEE 754: 15 decimal digits).
const MANY_DIGITS = /\d{16}/;

/** What a body holds, and everything in it that is refused wherever it stands. Throws `malformed-json`. */
export const readJson = (bytes: Buffer): { readonly value: unknown; readonly errors: readonly RequestError[] } => {
  const text = decode(bytes);
  const value = parse(text);
  const errors: RequestError[] = [];
  inspect(value, [], errors);
  // The second looks recurse, so they must not be had at what is nested without end.
  if (errors.some(({ code }) => code === 'too-deep')) return { value, errors };
  if (MANY_DIGITS.test(text)) inspectIntegers(text, errors);
  if (keysIn(text) > keysOf(value)) inspectKeys(text, errors);
  return { value, errors };
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Buffer): string => {
  try {
    return UTF_8.decode(bytes);
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

type Path = (string | number)[];

// The path is one array that grows and shrinks on the way: a pointer is made of it only where something is refused.
const inspect = (value: unknown, path: Path, errors: RequestError[]): void => {
  if (typeof value === 'string') inspectText(value, path, errors);
  else if (typeof value === 'number') inspectNumber(value, path, errors);
  else if (typeof value === 'object' && value !== null) inspectMembers(value, path, errors);
};

const inspectMembers = (value: object, path: Path, errors: RequestError[]): void => {
  if (path.length === DEEPEST) {
    errors.push({ pointer: pointerTo(path), code: 'too-deep', message: `may not be nested deeper than ${DEEPEST}` });
    return;
  }
  const members: ArrayLike<unknown> | undefined = Array.isArray(value) ? value : undefined;
  const keys = members === undefined ? Object.keys(value) : undefined;
  const length = members?.length ?? keys?.length ?? 0;
  for (let index = 0; index < length; index += 1) {
    const key = keys?.[index] ?? index;
    path.push(key);
    if (typeof key === 'string') inspectKey(key, path, errors);
    inspect((value as Record<string | number, unknown>)[key], path, errors);
    path.pop();
  }
};

const inspectKey = (key: string, path: Path, errors: RequestError[]): void => {
  if (key === '__proto__') {
    errors.push({ pointer: pointerTo(path), code: 'key-not-allowed', message: '__proto__ cannot be a key' });
  }
  inspectText(key, path, errors);
};

const inspectText = (text: string, path: Path, errors: RequestError[]): void => {
  if (!text.isWellFormed()) {
    const pointer = pointerTo(path).toWellFormed();
    errors.push({ pointer, code: 'lone-surrogate', message: 'holds half of a surrogate pair' });
  }
  if (CONTROL.test(text)) {
    errors.push({
      pointer: pointerTo(path).toWellFormed(),
      code: 'control-character',
      message: 'holds a control character other than tab and line ends',
    });
  }
};

const inspectNumber = (value: number, path: Path, errors: RequestError[]): void => {
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

// In JSON a string before a colon is a key, and nothing else is.
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;
const keysIn = (text: string): number => {
  let keys = 0;
  for (const [, colon] of text.matchAll(TOKENS)) if (colon !== undefined) keys += 1;
  return keys;
};

const keysOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, member) => sum + keysOf(member), own);
};

// JSON.parse has kept the last of them, so the text itself is looked at.
const inspectKeys = (text: string, errors: RequestError[]): void => {
  const seen: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void seen.push(new Set()),
    onObjectEnd: () => void seen.pop(),
    onObjectProperty: (key: string, ...rest) => {
      const path: () => JSONPath = rest[4];
      const pointer = pointerTo([...path(), key]);
      const keys = seen.at(-1);
      if (keys?.has(key)) errors.push({ pointer, code: 'duplicate-key', message: 'comes twice in its object' });
      keys?.add(key);
    },
  });
};
