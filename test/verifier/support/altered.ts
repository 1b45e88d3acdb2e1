// Alters documents: replaces a value, removes a member, removes or repeats an item of a list, or changes a byte of the
// text.
import type { Random } from '../../support/random.js';

/** An altered document and the place of the change. */
export interface Alteration<T> {
  readonly where: string;
  readonly altered: T;
}

type Path = readonly (string | number)[];

const pathsIn = (value: unknown, path: Path = []): readonly Path[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, each]) => pathsIn(each, [...path, name]))]
    : [path];

const at = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);

const another = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return value === '' ? 'x' : `${value.slice(0, -1)}${value.endsWith('x') ? 'y' : 'x'}`;
  return 'x';
};

const changed = <T>(document: T, path: Path, change: (holder: Record<string, unknown>, name: string) => void): T => {
  const copy = structuredClone(document);
  change(at(copy, path.slice(0, -1)) as Record<string, unknown>, String(path.at(-1)));
  return copy;
};

/** Yields copies of a document. Each has a different value in one place that holds no object and no list. */
export function* withOtherValues<T>(document: T): Generator<Alteration<T>> {
  for (const path of pathsIn(document)) {
    const value = at(document, path);
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) continue;
    yield {
      where: path.join('/'),
      altered: changed(document, path, (holder, name) => {
        holder[name] = another(value);
      }),
    };
  }
}

/** Yields copies of a document. Each lacks one member or one item of a list, or has one item twice. */
export function* withOtherMembers<T>(document: T): Generator<Alteration<T>> {
  for (const path of pathsIn(document).filter(({ length }) => length > 0)) {
    const isItem = Array.isArray(at(document, path.slice(0, -1)));
    const cut = changed(document, path, (holder, name) => {
      if (Array.isArray(holder)) holder.splice(Number(name), 1);
      else delete holder[name];
    });
    yield { where: `without ${path.join('/')}`, altered: cut };
    if (!isItem) continue;
    const twice = changed(document, path, (holder, name) => {
      if (Array.isArray(holder)) holder.splice(Number(name), 0, holder[Number(name)]);
    });
    yield { where: `twice ${path.join('/')}`, altered: twice };
  }
}

/** Returns the text with one byte replaced, removed or added. */
export const withOtherByte = (text: string, random: Random): Alteration<Uint8Array> => {
  const bytes = Buffer.from(text);
  const place = random.integer(0, bytes.length - 1);
  const removed = random.integer(0, 1);
  // Letters and digits keep the JSON well-formed more often than other bytes.
  const byte = random.chance(0.5) ? random.integer(0x30, 0x7a) : random.integer(0, 0xff);
  const added = removed === 1 && random.chance(0.2) ? [] : [byte];
  const altered = Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place + removed)]);
  return { where: `byte ${place}, ${removed} removed, added ${added}`, altered };
};
