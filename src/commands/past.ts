// Folds streams up to past times. Reads of one stream that wait together share one fold, whatever their times are.
import type { Foldable } from '../domain/decider.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import { pace } from '../infrastructure/pace.js';
import { streamName } from '../infrastructure/stream-name.js';
import { emptyOf, type Loaded, withRecorded } from './loaded.js';
import type { Walker, Walks } from './walks.js';

/** A fold that has not begun. Times are epoch milliseconds. */
interface Waiting {
  readonly times: Set<number>;
  readonly states: Promise<ReadonlyMap<number, Loaded<unknown>>>;
}

export class Past {
  readonly #facts: Pick<Facts, 'readStream'>;
  readonly #walks: Walks;
  readonly #onEnd: (stream: string, loaded: Loaded<unknown>) => void;
  readonly #waiting = new Map<string, Waiting>();

  /** `onEnd` receives the aggregates that were folded up to the ends of their streams. */
  constructor(
    facts: Pick<Facts, 'readStream'>,
    walks: Walks,
    onEnd: (stream: string, loaded: Loaded<unknown>) => void,
  ) {
    this.#facts = facts;
    this.#walks = walks;
    this.#onEnd = onEnd;
  }

  /** Returns the aggregate at a time. The revision is -1 if the first event is later. */
  async at<S>(decider: Foldable<S>, id: string, time: number, walker: Walker): Promise<Loaded<S>> {
    await walker.checkPast?.();
    const fold = this.#waiting.get(streamName(decider.aggregate, id)) ?? this.#begin(decider, id, walker);
    fold.times.add(time);
    const states = await fold.states;
    // What a reader does with a large state takes time, too.
    await pace.goOn();
    return states.get(time) as Loaded<S>;
  }

  #begin<S>(decider: Foldable<S>, id: string, walker: Walker): Waiting {
    const stream = streamName(decider.aggregate, id);
    const times = new Set<number>();
    const states = this.#statesAt(decider, id, times, walker).finally(() => this.#waiting.delete(stream));
    const waiting = { times, states };
    this.#waiting.set(stream, waiting);
    return waiting;
  }

  async #statesAt<S>(decider: Foldable<S>, id: string, times: ReadonlySet<number>, walker: Walker) {
    const stream = streamName(decider.aggregate, id);
    const states = new Map<number, Loaded<S>>();
    let left: number[] = [];
    const begin = () => {
      this.#waiting.delete(stream);
      left = [...times].sort((one, other) => other - one);
    };
    let loaded: Loaded<S> = { ...emptyOf(decider), fresh: true };
    for await (const event of counted(this.#walks.events(walker, this.#read(stream, begin)), walker)) {
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

  async *#read(stream: string, begin: () => void): AsyncGenerator<RecordedEvent> {
    begin();
    yield* this.#facts.readStream(stream);
  }
}

async function* counted(events: AsyncIterable<RecordedEvent>, walker: Walker): AsyncGenerator<RecordedEvent> {
  let count = 0;
  try {
    for await (const event of events) {
      count += 1;
      yield event;
    }
  } finally {
    walker.countPast?.(count);
  }
}
