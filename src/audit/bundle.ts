// A copy of the log for auditors: JSON lines, and a manifest that allows an offline check of completeness. Personal
// fields stay sealed, as in the log, so that erasing a person later also erases the person in the copy.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { ignoreMissing } from '../infrastructure/durable-files.js';
import type { Position } from '../infrastructure/facts/facts.js';
import type { Checkpoint } from '../transparency/note.js';
import { BundleTree, checkpointIn } from './bundle-tree.js';
import { isExactLine, lineOf } from './formats.js';
import { type AuditTrail, FROM_THE_BEGINNING } from './trail.js';

const EVENTS = 'events.jsonl';
const MANIFEST = 'manifest.json';
const CHECKPOINT = 'checkpoint';
const FORMAT = 'clinical-protocols-audit/1';

const Counts = z.record(z.string(), z.int());
const Manifest = z.object({
  format: z.literal(FORMAT),
  exportedAt: z.iso.datetime(),
  file: z.literal(EVENTS),
  bytes: z.int(),
  /** The SHA-256 of the whole file, in hex. */
  sha256: z.string(),
  events: z.int(),
  firstPosition: z.string().nullable(),
  lastPosition: z.string().nullable(),
  /** The number of events by type. */
  types: Counts,
  /** The number of streams by category. */
  streams: Counts,
  /** The newest signed note when the export started; absent if nothing was signed. */
  checkpoint: z.literal(CHECKPOINT).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

const Line = z.looseObject({
  position: z.string(),
  stream: z.string(),
  category: z.string(),
  revision: z.int(),
  id: z.string(),
  type: z.string(),
  at: z.string(),
});
type Line = z.infer<typeof Line>;

/** The sources of an export. */
export interface Exported {
  readonly trail: AuditTrail;
  /** The newest checkpoint before the trail is read, so that the export contains every event that it covers. */
  readonly checkpoint?: string | undefined;
}

/** Writes the log up to its current end into a new or empty directory. Returns the manifest. */
export const exportBundle = async (
  { trail, checkpoint }: Exported,
  directory: string,
  now: Date,
): Promise<Manifest> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0)
    throw new Error(`${directory} is not empty: pass an empty or new directory`);
  const file = createWriteStream(join(directory, EVENTS), { mode: 0o600, flush: true });
  const tally = new Tally();
  for await (const { events } of trail.read({}, FROM_THE_BEGINNING)) {
    const lines = events.map((event) => {
      const line = lineOf(event);
      tally.count(line);
      return `${JSON.stringify(line)}\n`;
    });
    await write(file, tally.hashed(lines.join('')));
  }
  file.end();
  await finished(file);
  const signed = checkpoint === undefined ? {} : ({ checkpoint: CHECKPOINT } as const);
  const head = { format: FORMAT, exportedAt: now.toISOString(), file: EVENTS } as const;
  const manifest = { ...head, ...tally.sum(), ...signed };
  const options = { mode: 0o600, flush: true };
  if (checkpoint !== undefined) await writeFile(join(directory, CHECKPOINT), checkpoint, options);
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, options);
  return manifest;
};

/** The result of checking a bundle. */
export interface CheckedBundle {
  /** All faults; an empty list if the bundle is intact. */
  readonly faults: readonly string[];
  readonly events: number;
  /** The number of events, from the first, that the checkpoint covers. */
  readonly covered: number;
}

/**
 * Checks a bundle for consistency, against its manifest and against its checkpoint. Does not verify the signature of
 * the checkpoint.
 */
export const verifyBundle = async (directory: string): Promise<CheckedBundle> => {
  const stated = Manifest.safeParse(await jsonIn(join(directory, MANIFEST)));
  if (!stated.success) return { faults: [NO_MANIFEST], events: 0, covered: 0 };
  const note = await readFile(join(directory, CHECKPOINT), 'utf8').catch(ignoreMissing);
  const checkpoint = checkpointIn(note ?? '');
  const isExpected = note !== undefined || stated.data.checkpoint !== undefined;
  const { faults, tally, tree } = await examined(join(directory, EVENTS), checkpoint);
  const all = [
    ...(isExpected && checkpoint === undefined ? [`${CHECKPOINT} is missing or not a checkpoint`] : []),
    ...faults,
    ...disagreements(stated.data, tally.sum()),
    ...((await tree?.faults()) ?? []),
  ];
  return { faults: all, events: tally.sum().events, covered: checkpoint?.size ?? 0 };
};

const NO_MANIFEST = `${MANIFEST} is missing or not a manifest: the export was not finished, or the file was changed`;

/** Reads the lines of a bundle. Returns the faults of single lines, the tally and the tree. */
const examined = async (file: string, checkpoint: Checkpoint | undefined) => {
  const tree = checkpoint && new BundleTree(checkpoint);
  const tally = new Tally();
  const faults: string[] = [];
  let number = 0;
  for await (const text of linesIn(tally, file)) {
    number += 1;
    const line = Line.safeParse(parsed(text));
    if (line.success) tree?.add(line.data);
    const wrong = line.success ? [...disguises(text, line.data), ...tally.count(line.data)] : ['is not an event'];
    if (faults.length < MAX_FAULTS) faults.push(...wrong.map((fault) => `line ${number} ${fault}`));
  }
  return { faults, tally, tree };
};

/** Returns the fault of a line that a reader could understand in another way than the tree does. */
const disguises = (text: string, line: Line): readonly string[] =>
  // A name that occurs twice is lost in the parsed line.
  JSON.stringify(parsed(text)) === text && isExactLine(line) ? [] : ['shows other values than those that were signed'];

// `readline` also ends lines at U+2028, which JSON allows inside a string.
async function* linesIn(tally: Tally, file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let rest = '';
  for await (const chunk of createReadStream(file)) {
    const lines = (rest + decoder.write(tally.hashed(chunk as Buffer))).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const MAX_FAULTS = 100;

const write = async (file: WriteStream, text: string): Promise<void> => {
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
    const expected = JSON.stringify(stated[name]);
    const actual = JSON.stringify(found[name]);
    return expected === actual ? [] : [`${MANIFEST} says ${name} ${expected}, the file has ${actual}`];
  });

/** Counts events in log order and reports events out of order. Memory grows with the number of streams, not events. */
class Tally {
  readonly #hash = createHash('sha256');
  readonly #ends = new Map<string, Pick<Line, 'revision' | 'at'>>();
  readonly #types = new Map<string, number>();
  readonly #streams = new Map<string, number>();
  #bytes = 0;
  #events = 0;
  #first: Position | undefined;
  #last: Position | undefined;

  /** Adds the next content of the file to the hash. Returns the content. */
  hashed<T extends string | Buffer>(content: T): T {
    this.#hash.update(content);
    this.#bytes += Buffer.byteLength(content);
    return content;
  }

  count({ position, stream, category, revision, type, at }: Line): readonly string[] {
    const { revision: before, at: since } = this.#ends.get(stream) ?? { revision: -1, at };
    const faults = [
      ...(revision === before + 1
        ? []
        : [`is revision ${revision} of ${stream}, but revision ${before + 1} was expected`]),
      // An invalid time compares as false, and is therefore a fault.
      ...(Date.parse(at) >= Date.parse(since) ? [] : [`has the time ${at}, which is before ${since} in ${stream}`]),
      // The events of one append may share a position.
      ...(position >= (this.#last ?? '') ? [] : [`has position ${position}, which is before ${this.#last}`]),
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
