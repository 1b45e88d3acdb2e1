// Folds streams up to past times. Reads of one stream that wait together share one fold, whatever their times are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Foldable } from '../domain/decider.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import { emptyOf, type Loaded, withRecorded } from './loaded.js';
import type { LongReads } from './long-reads.js';

/** A fold that has not begun. Times are epoch milliseconds. */
interface Waiting {
  readonly times: Set<number>;
  readonly states: Promise<ReadonlyMap<number, Loaded<unknown>>>;
}

export class Past {
  readonly #facts: Pick<Facts, 'readStream'>;
  readonly #reads: LongReads;
  readonly #onEnd: (stream: string, loaded: Loaded<unknown>) => void;
  readonly #waiting = new Map<string, Waiting>();
  // Readers continue one after another: what a reader does with a large state takes time, too.
  readonly #continuing = pLimit(1);

  /** `onEnd` receives the aggregates that were folded up to the ends of their streams. */
  constructor(
    facts: Pick<Facts, 'readStream'>,
    reads: LongReads,
    onEnd: (stream: string, loaded: Loaded<unknown>) => void,
  ) {
    this.#facts = facts;
    this.#reads = reads;
    this.#onEnd = onEnd;
  }

  /** Returns the aggregate at a time. The revision is -1 if the first event is later. */
  async at<S>(decider: Foldable<S>, id: string, time: number): Promise<Loaded<S>> {
    const stream = streamName(decider.aggregate, id);
    const fold = this.#waiting.get(stream) ?? this.#begin(decider, id, stream);
    fold.times.add(time);
    const states = await fold.states;
    return this.#continuing(async () => {
      await nextTurn();
      return states.get(time) as Loaded<S>;
    });
  }

  #begin<S>(decider: Foldable<S>, id: string, stream: string): Waiting {
    const times = new Set<number>();
    const begun = this.#reads.turnOf(stream).finally(() => this.#waiting.delete(stream));
    const states = begun.then((end) => this.#statesAt(decider, id, times).finally(end));
    const waiting = { times, states };
    this.#waiting.set(stream, waiting);
    return waiting;
  }

  async #statesAt<S>(decider: Foldable<S>, id: string, times: ReadonlySet<number>) {
    const stream = streamName(decider.aggregate, id);
    const states = new Map<number, Loaded<S>>();
    const left = [...times].sort((one, other) => other - one);
    let loaded: Loaded<S> = { ...emptyOf(decider), fresh: true };
    for await (const event of this.#facts.readStream(stream)) {
      // Compared as numbers: as text, a time in the year 10000 (+010000-…) would sort before all others.
      const at = Date.parse(event.metadata.at);
      for (let time = left.at(-1); time !== undefined && time < at; time = left.at(-1)) {
        states.set(time, loaded);
        left.pop();
      }
      if (left.length === 0) return states;
      loaded = withRecorded(decider, id, loaded, event);
    }
    for (const time of left) states.set(time, loaded);
    this.#onEnd(stream, loaded);
    return states;
  }
}
