// Reads the whole log, once in its own order and once stream by stream. What is kept meanwhile grows with the longest
// stream, not with the log.
import { aggregates } from '../commands/watermark.js';
import { allDeciders } from '../domain/all.js';
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Check } from './check.js';

const known: ReadonlySet<string> = new Set(allDeciders.flatMap(({ events }) => Object.keys(events)));
// So many faults are told; an operator needs no more to see what it is.
const FAULTS_TOLD = 5;

/** Revisions without gaps, positions that ascend, event ids that are unique in their stream, in every stream of the log. */
export const streamsWhole: Check = {
  name: 'streams',
  run: async ({ facts }) => {
    const inspection = new Inspection();
    await inspection.read(facts);
    const { events, streams, faults, faultCount } = inspection;
    const said = `${events} events in ${streams} streams${inspection.unknownTypes()}`;
    if (faultCount === 0) return { ok: true, said };
    return {
      ok: false,
      said: `${said}; ${faultCount} faults: ${faults.join('; ')}`,
      next: 'the log itself is damaged: stop the service and restore facts and vault of one moment',
    };
  },
};

async function* logUntil(facts: Facts, head: Position): AsyncGenerator<RecordedEvent> {
  const range = { aggregates, after: undefined };
  for await (const { events, position, atEnd } of facts.subscribe(range, new AbortController().signal)) {
    yield* events.filter((event) => event.position <= head);
    if (atEnd || (position ?? '') >= head) return;
  }
}

class Inspection {
  events = 0;
  streams = 0;
  faultCount = 0;
  readonly faults: string[] = [];
  readonly #unknown = new Map<string, number>();
  #inStreams = 0;
  #last: Position | undefined;

  async read(facts: Facts): Promise<void> {
    // What is appended meanwhile is left out, so that both ways of reading count the same events.
    const head = await facts.head();
    if (head === undefined) return;
    for await (const event of logUntil(facts, head)) await this.#take(facts, event, head);
    if (this.#inStreams !== this.events) {
      this.#fault(`the log has ${this.events} events, its streams, read from their beginning, ${this.#inStreams}`);
    }
  }

  /** The types that this program does not know, as a part of a sentence. */
  unknownTypes(): string {
    if (this.#unknown.size === 0) return ', all of known types';
    const counts = [...this.#unknown].map(([type, count]) => `${type} ${count}`).join(', ');
    return `, of unknown types (of a newer version, or another program): ${counts}`;
  }

  async #take(facts: Facts, event: RecordedEvent, head: Position): Promise<void> {
    const { position, type, stream, revision } = event;
    this.events += 1;
    if (!known.has(type)) this.#unknown.set(type, (this.#unknown.get(type) ?? 0) + 1);
    if (this.#last !== undefined && position <= this.#last) this.#fault(`${position} follows ${this.#last} in the log`);
    this.#last = position;
    if (revision === 0) await this.#readStream(facts, stream, head);
  }

  async #readStream(facts: Facts, stream: string, head: Position): Promise<void> {
    this.streams += 1;
    const ids = new Set<string>();
    let before: RecordedEvent | undefined;
    for await (const event of facts.readStream(stream)) {
      if (event.position > head) break;
      this.#compare(event, before);
      if (ids.has(event.id)) this.#fault(`${stream} has event ${event.id} twice, again at revision ${event.revision}`);
      ids.add(event.id);
      before = event;
      this.#inStreams += 1;
    }
  }

  #compare({ stream, revision, position }: RecordedEvent, before: RecordedEvent | undefined): void {
    const expected = (before?.revision ?? -1) + 1;
    if (revision !== expected) this.#fault(`${stream} goes on at revision ${revision}, not ${expected}`);
    if (before !== undefined && position <= before.position) {
      this.#fault(`${stream} goes back to position ${position} at revision ${revision}`);
    }
  }

  #fault(fault: string): void {
    this.faultCount += 1;
    if (this.faults.length < FAULTS_TOLD) this.faults.push(fault);
  }
}
