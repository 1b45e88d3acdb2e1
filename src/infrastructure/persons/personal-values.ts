// Separates the personal values from a payload, by their JSON pointers (RFC 6901).

/** The path to a personal field in a payload: member names, and `*` for every item of a list. */
export type FieldPath = readonly string[];

export type Payload = Readonly<Record<string, unknown>>;

type Holder = Record<string, unknown>;

export const isPayload = (data: unknown): data is Payload => isHolder(data) && !Array.isArray(data);

/** Returns whether a payload has a personal value. Absent and null do not count as values. */
export const hasValues = (data: unknown, paths: readonly FieldPath[]): boolean =>
  paths.some((path) => isValueAt(data, path, 0));

export interface Separated {
  readonly open: Payload;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Separates the personal values from a copy of a payload. Returns undefined if there are none. */
export const separate = (data: unknown, paths: readonly FieldPath[]): Separated | undefined => {
  if (!isPayload(data) || !hasValues(data, paths)) return undefined;
  const open = JSON.parse(JSON.stringify(data)) as Holder;
  const values: Holder = {};
  for (const path of paths) takeOut(open, path, '', values);
  return { open, values };
};

/** Returns a copy of a payload with the values in their places; undefined if a place does not exist. */
export const combine = (open: Payload, values: Readonly<Record<string, unknown>>): Payload | undefined => {
  const pointers = Object.keys(values);
  // Copies, because other readers may hold the same payload. Most payloads have their personal fields at the top level.
  const isFlat = pointers.every((pointer) => pointer.lastIndexOf('/') === 0);
  const whole = isFlat ? { ...open } : structuredClone(open);
  return pointers.every((pointer) => isPut(whole, pointer, values[pointer])) ? whole : undefined;
};

// Uses an index instead of slices, because this runs for every event that is read.
const isValueAt = (holder: unknown, path: FieldPath, at: number): boolean => {
  if (at === path.length) return isValue(holder);
  if (!isHolder(holder)) return false;
  const name = path[at] ?? '';
  return name === '*'
    ? Object.values(holder).some((item) => isValueAt(item, path, at + 1))
    : isValueAt(holder[name], path, at + 1);
};

const takeOut = (holder: unknown, [name = '', ...rest]: FieldPath, pointer: string, values: Holder): void => {
  if (!isHolder(holder)) return;
  for (const member of name === '*' ? Object.keys(holder) : [name]) {
    const at = `${pointer}/${escaped(member)}`;
    if (rest.length > 0) takeOut(holder[member], rest, at, values);
    else if (isValue(holder[member])) {
      values[at] = holder[member];
      holder[member] = null;
    }
  }
};

const isPut = (whole: Payload, pointer: string, value: unknown): boolean => {
  const names = pointer.slice(1).split('/').map(unescaped);
  const last = names.pop() ?? '';
  let holder: unknown = whole;
  for (const name of names) holder = isHolder(holder) ? holder[name] : undefined;
  if (!isHolder(holder) || !Object.hasOwn(holder, last)) return false;
  holder[last] = value;
  return true;
};

const isValue = (value: unknown) => value !== undefined && value !== null;

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (name: string) => (name.includes('~') ? name.replaceAll('~1', '/').replaceAll('~0', '~') : name);
