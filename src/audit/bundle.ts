// A copy of the log that auditors take away: JSON lines, and a manifest that tells offline whether the copy is whole.
// Personal fields are in it as the log holds them, sealed, so that a person who is erased later is erased in it, too.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import type { Position } from '../infrastructure/facts/facts.js';
import { lineOf } from './formats.js';
import { type AuditTrail, FROM_THE_BEGINNING } from './trail.js';

const EVENTS = 'events.jsonl';
const MANIFEST = 'manifest.json';
const FORMAT = 'clinical-protocols-audit/1';

const Counts = z.record(z.string(), z.int());
const Manifest = z.object({
  format: z.literal(FORMAT),
  exportedAt: z.iso.datetime(),
  file: z.literal(EVENTS),
  bytes: z.int(),
  /** Of the whole file, in hex. */
  sha256: z.string(),
  events: z.int(),
  firstPosition: z.string().nullable(),
  lastPosition: z.string().nullable(),
  /** Events by their type. */
  types: Counts,
  /** Streams by their category. */
  streams: Counts,
});
export type Manifest = z.infer<typeof Manifest>;

const Line = z.object({
  position: z.string(),
  stream: z.string(),
  category: z.string(),
  revision: z.int(),
  id: z.string(),
  type: z.string(),
  at: z.string(),
});
type Line = z.infer<typeof Line>;

/** Writes the log up to its present end into a directory that is empty or not there; gives the manifest. */
export const exportBundle = async (trail: AuditTrail, directory: string, now: Date): Promise<Manifest> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0) throw new Error(`${directory} is not empty: name another directory`);
  const file = createWriteStream(join(directory, EVENTS), { mode: 0o600, flush: true });
  const tally = new Tally();
  for await (const { events } of trail.read({}, FROM_THE_BEGINNING)) {
    const lines = events.map((event) => {
      const line = lineOf(event);
      tally.count(line);
      return `${JSON.stringify(line)}\n`;
    });
    await written(file, tally.hashed(lines.join('')));
  }
  file.end();
  await finished(file);
  const manifest = { format: FORMAT, exportedAt: now.toISOString(), file: EVENTS, ...tally.sum() } as const;
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  return manifest;
};

/** Checks a bundle against its manifest and in itself; gives everything that is wrong with it, nothing where it is whole. */
export const verifyBundle = async (directory: string): Promise<readonly string[]> => {
  const stated = Manifest.safeParse(await jsonIn(join(directory, MANIFEST)));
  if (!stated.success)
    return [`${MANIFEST} is not there or no manifest: the export was not finished, or it was changed`];
  const tally = new Tally();
  const faults: string[] = [];
  const bytes = createReadStream(join(directory, EVENTS));
  bytes.on('data', (chunk) => void tally.hashed(chunk));
  let number = 0;
  for await (const text of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const line = Line.safeParse(parsed(text));
    const wrong = line.success ? tally.count(line.data) : ['is no event'];
    if (faults.length < MOST_FAULTS) faults.push(...wrong.map((what) => `line ${number} ${what}`));
  }
  return [...faults, ...disagreements(stated.data, tally.sum())];
};

const MOST_FAULTS = 100;

const written = async (file: WriteStream, text: string): Promise<void> => {
  if (!file.write(text)) await once(file, 'drain');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const jsonIn = async (file: string): Promise<unknown> => parsed(await readFile(file, 'utf8').catch(() => ''));

const disagreements = (stated: Manifest, found: ReturnType<Tally['sum']>): readonly string[] =>
  (Object.keys(found) as (keyof typeof found)[]).flatMap((name) => {
    const said = JSON.stringify(stated[name]);
    const is = JSON.stringify(found[name]);
    return said === is ? [] : [`${MANIFEST} says ${name} ${said}, the file has ${is}`];
  });

/** Counts events in the order of the log, and tells what is out of order. Memory grows with the streams, not the events. */
class Tally {
  readonly #hash = createHash('sha256');
  readonly #ends = new Map<string, Pick<Line, 'revision' | 'at'>>();
  readonly #types = new Map<string, number>();
  readonly #streams = new Map<string, number>();
  #bytes = 0;
  #events = 0;
  #first: Position | undefined;
  #last: Position | undefined;

  /** Takes what the file has next; gives it back. */
  hashed<T extends string | Buffer>(content: T): T {
    this.#hash.update(content);
    this.#bytes += Buffer.byteLength(content);
    return content;
  }

  count({ position, stream, category, revision, type, at }: Line): readonly string[] {
    const { revision: before, at: since } = this.#ends.get(stream) ?? { revision: -1, at };
    const faults = [
      ...(revision === before + 1 ? [] : [`is revision ${revision} of ${stream}, where ${before + 1} was to come`]),
      // A time that is none compares with nothing, and is a fault.
      ...(Date.parse(at) >= Date.parse(since) ? [] : [`is of ${at}, before ${since} in ${stream}`]),
      // The events of one append may share a position.
      ...(position >= (this.#last ?? '') ? [] : [`stands at ${position}, behind ${this.#last}`]),
    ];
    if (before < 0) add(this.#streams, category);
    add(this.#types, type);
    this.#ends.set(stream, { revision, at });
    this.#events += 1;
    this.#first ??= position;
    this.#last = position;
    return faults;
  }

  sum() {
    return {
      bytes: this.#bytes,
      sha256: this.#hash.copy().digest('hex'),
      events: this.#events,
      firstPosition: this.#first ?? null,
      lastPosition: this.#last ?? null,
      types: sorted(this.#types),
      streams: sorted(this.#streams),
    };
  }
}

const add = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);
const sorted = (counts: Map<string, number>) =>
  Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
