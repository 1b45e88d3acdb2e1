// The JSON Canonicalization Scheme (RFC 8785): a text of a JSON value that does not depend on how a store wrote it.

/** Returns the canonical JSON of a value. Omits undefined members, as `JSON.stringify` does. */
export const canonicalJson = (value: unknown): string => (isSorted(value) ? JSON.stringify(value) : sortedJson(value));

/**
 * Returns whether the members of every object are in the canonical order: by UTF-16 code units (3.2.3), as JavaScript
 * compares texts. Most recorded values are, and their text is made in a fraction of the time.
 */
const isSorted = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  const members = value as Readonly<Record<string, unknown>>;
  let last = '';
  for (const name in members) {
    if (name < last || !isSorted(members[name])) return false;
    last = name;
  }
  return true;
};

const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = value as Readonly<Record<string, unknown>>;
  const texts = Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${sortedJson(members[name])}`);
  return `{${texts.join(',')}}`;
};
