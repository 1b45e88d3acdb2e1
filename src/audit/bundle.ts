// A copy of the log for auditors: JSON lines, the newest checkpoint and a manifest. verifier/ checks it offline. Personal
// fields stay sealed, as in the log, so that erasing a person later also erases the person in the copy.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ensureDirectory, handOver, writeNewFile } from '../infrastructure/durable-files.js';
import type { LogPage, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateOf } from '../infrastructure/stream-name.js';
import { lineOf } from './formats.js';
import { type AuditTrail, FROM_THE_BEGINNING } from './trail.js';

const EVENTS = 'events.jsonl';
const MANIFEST = 'manifest.json';
const CHECKPOINT = 'checkpoint';
const FORMAT = 'clinical-protocols-audit/1';

/**
 * Writes the log up to its current end into a new or empty directory. Returns the manifest. `checkpoint` is the newest
 * before the trail is read, so that the bundle contains every event that it covers; undefined if nothing was signed.
 */
export const exportBundle = async (
  { trail, checkpoint }: { readonly trail: AuditTrail; readonly checkpoint?: string | undefined },
  directory: string,
  now: Date,
) => {
  ensureDirectory(directory);
  if ((await readdir(directory)).length > 0)
    throw new Error(`${directory} is not empty: pass an empty or new directory`);
  const counter = new Counter();
  const lines = counter.linesOf(trail.read({}, FROM_THE_BEGINNING));
  await pipeline(lines, createWriteStream(join(directory, EVENTS), { mode: 0o600, flush: true }));
  handOver(join(directory, EVENTS));
  const signed = checkpoint === undefined ? {} : ({ checkpoint: CHECKPOINT } as const);
  const head = { format: FORMAT, exportedAt: now.toISOString(), file: EVENTS } as const;
  const manifest = { ...head, ...counter.sum(), ...signed };
  if (checkpoint !== undefined) await writeNewFile(join(directory, CHECKPOINT), checkpoint);
  await writeNewFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
};

/** Counts and hashes the lines that it yields. */
class Counter {
  readonly #hash = createHash('sha256');
  readonly #types = new Map<string, number>();
  /** The number of streams by category. */
  readonly #streams = new Map<string, number>();
  #bytes = 0;
  #events = 0;
  #first: Position | null = null;
  #last: Position | null = null;

  async *linesOf(pages: AsyncIterable<Pick<LogPage, 'events'>>): AsyncGenerator<string> {
    for await (const { events } of pages) {
      const lines = events.map((event) => `${JSON.stringify(lineOf(event))}\n`).join('');
      for (const event of events) this.#count(event);
      this.#hash.update(lines);
      this.#bytes += Buffer.byteLength(lines);
      yield lines;
    }
  }

  #count({ position, stream, revision, type }: RecordedEvent): void {
    if (revision === 0) add(this.#streams, aggregateOf(stream));
    add(this.#types, type);
    this.#events += 1;
    this.#first ??= position;
    this.#last = position;
  }

  sum() {
    return {
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
      events: this.#events,
      firstPosition: this.#first,
      lastPosition: this.#last,
      types: sorted(this.#types),
      streams: sorted(this.#streams),
    };
  }
}

const add = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);
const sorted = (counts: Map<string, number>) =>
  Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
