// Reads the whole log, once in its own order and once stream by stream. What is kept meanwhile grows with the longest
// stream, not with the log.
import { StreamTruncated } from '../infrastructure/errors.js';
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Check } from './check.js';
import { aggregates } from './watermark.js';

// So many faults are told; an operator needs no more to see what it is.
const FAULTS_TOLD = 5;

/** In every stream: revisions without gaps, positions that ascend, times that do not go back, unique event ids. */
export const streamsWhole: Check = {
  name: 'streams',
  run: async ({ facts }) => {
    const inspection = new Inspection();
    await inspection.read(facts);
    const { events, streams, faults, faultCount } = inspection;
    const said = `${events} events in ${streams} streams`;
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

  async #take(facts: Facts, event: RecordedEvent, head: Position): Promise<void> {
    const { position, stream, revision } = event;
    this.events += 1;
    if (this.#last !== undefined && position <= this.#last) this.#fault(`${position} follows ${this.#last} in the log`);
    this.#last = position;
    if (revision === 0) await this.#readStream(facts, stream, head);
  }

  async #readStream(facts: Facts, stream: string, head: Position): Promise<void> {
    this.streams += 1;
    try {
      await this.#readWhole(facts, stream, head);
    } catch (error) {
      if (!(error instanceof StreamTruncated)) throw error;
      this.#fault(error.message);
    }
  }

  async #readWhole(facts: Facts, stream: string, head: Position): Promise<void> {
    const ids = new Set<string>();
    let before: RecordedEvent | undefined;
    for await (const event of facts.readStream(stream)) {
      if (event.position > head) break;
      for (const fault of goneBack(event, before ?? event)) this.#fault(fault);
      if (ids.has(event.id)) this.#fault(`${stream} has event ${event.id} twice, again at revision ${event.revision}`);
      ids.add(event.id);
      before = event;
      this.#inStreams += 1;
    }
  }

  #fault(fault: string): void {
    this.faultCount += 1;
    if (this.faults.length < FAULTS_TOLD) this.faults.push(fault);
  }
}

/** Returns how a stream goes back from one event to the next. Events may share a time; a time that is none is a fault. */
const goneBack = (
  { stream, revision, position, metadata }: RecordedEvent,
  before: RecordedEvent,
): readonly string[] => {
  const isLater = position > before.position || revision === before.revision;
  const isInTime = Date.parse(metadata.at) >= Date.parse(before.metadata.at);
  return [
    ...(isLater ? [] : [`${stream} goes back to position ${position} at revision ${revision}`]),
    ...(isInTime ? [] : [`${stream} goes back to the time ${metadata.at} at revision ${revision}`]),
  ];
};
