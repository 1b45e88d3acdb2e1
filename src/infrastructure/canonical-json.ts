// The JSON Canonicalization Scheme (RFC 8785): a text of a JSON value that does not depend on how a store wrote it.

/** Returns the canonical JSON of a value. Omits undefined members, as `JSON.stringify` does. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  return typeof value === 'object' && value !== null ? canonicalObject(value) : JSON.stringify(value);
};

// A loop for speed, because this runs for every event that is opened.
const canonicalObject = (value: object): string => {
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // Sorted by UTF-16 code units (3.2.3), as `sort` does by default.
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
};
