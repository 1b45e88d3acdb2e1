// Personal fields taken out of a payload and put back. A sealed payload has null in place of each personal value, and one
// more member, `sealed`, that holds all of them: one ciphertext an event, as each costs some microseconds to open.
import type { KeyObject } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.js';

/** Where a personal field is in a payload: names of members, and `*` for every item of a list. */
export type FieldPath = readonly string[];

export type Payload = Readonly<Record<string, unknown>>;

/** The event that a payload is of: what is sealed in it opens in no other. */
export interface Place {
  readonly stream: string;
  readonly id: string;
}

/** A payload whose personal values were taken out. */
export interface Divided {
  /** The payload with null in their places. */
  readonly open: Payload;
  /** JSON of the values by JSON pointer (RFC 6901). */
  readonly personal: string;
}

/** The first byte of what is sealed. Another one is to be taken when anything of this form changes. */
const VERSION = 1;
/** The member that holds what is sealed; no payload with personal fields may have one of this name. */
const SEALED = 'sealed';

/** Takes the personal values out; undefined where there are none. */
export const divided = (data: unknown, paths: readonly FieldPath[]): Divided | undefined => {
  if (!isPayload(data)) return undefined;
  if (Object.hasOwn(data, SEALED)) throw new Error(`a payload with personal fields may have no member "${SEALED}"`);
  const open = JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  const values: Record<string, unknown> = {};
  for (const path of paths) takeOut(open, path, '', values);
  return Object.keys(values).length === 0 ? undefined : { open, personal: JSON.stringify(values) };
};

/** The payload as the log holds it. */
export const sealed = ({ open, personal }: Divided, key: KeyObject, place: Place): Payload => {
  const bytes = Buffer.concat([Buffer.of(VERSION), encrypt(key, personal, contextOf(place))]);
  return { ...open, [SEALED]: bytes.toString('base64url') };
};

/** Whether something is sealed in a payload. */
export const isSealed = (data: unknown): data is Payload => isPayload(data) && typeof data[SEALED] === 'string';

/** The payload with null in place of what is sealed in it. */
export const withoutSealed = ({ [SEALED]: _, ...open }: Payload): Payload => open;

/** The payload as it was before it was sealed; undefined where what is sealed was altered, moved, or is of another key. */
export const unsealed = (data: Payload, key: KeyObject, place: Place): Payload | undefined => {
  const bytes = Buffer.from(String(data[SEALED]), 'base64url');
  const personal = bytes[0] === VERSION ? decrypt(key, bytes.subarray(1), contextOf(place)) : undefined;
  if (personal === undefined) return undefined;
  const values = JSON.parse(personal.toString()) as Payload;
  const whole = withoutSealed(data);
  return Object.keys(values).every((pointer) => putBack(whole, pointer, values[pointer])) ? whole : undefined;
};

const isPayload = (data: unknown): data is Payload => typeof data === 'object' && data !== null && !Array.isArray(data);

// As text that no other stream and id give. An engine may fold the case of an id.
const contextOf = ({ stream, id }: Place): string => `${stream.length} ${stream} ${id.toLowerCase()}`;

type Holder = Record<string, unknown>;

const takeOut = (holder: unknown, [name = '', ...rest]: FieldPath, pointer: string, values: Holder): void => {
  if (!isHolder(holder)) return;
  for (const member of name === '*' ? Object.keys(holder) : [name]) {
    const at = `${pointer}/${escaped(member)}`;
    if (rest.length > 0) takeOut(holder[member], rest, at, values);
    else takeOne(holder, member, at, values);
  }
};

// What is not there, and null, is nothing to seal.
const takeOne = (holder: Holder, member: string, at: string, values: Holder): void => {
  const value = holder[member] ?? null;
  if (value === null) return;
  values[at] = value;
  holder[member] = null;
};

// The payload was parsed for this reader alone, so that its inner parts may be changed; false where the place is gone.
const putBack = (whole: Payload, pointer: string, value: unknown): boolean => {
  const names = pointer.slice(1).split('/').map(unescaped);
  const last = names.pop() ?? '';
  let holder: unknown = whole;
  for (const name of names) holder = isHolder(holder) ? holder[name] : undefined;
  if (!isHolder(holder) || !Object.hasOwn(holder, last)) return false;
  holder[last] = value;
  return true;
};

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (name: string) => (name.includes('~') ? name.replaceAll('~1', '/').replaceAll('~0', '~') : name);
