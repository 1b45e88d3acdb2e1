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

interface Fold {
  readonly times: ReadonlySet<number>;
  readonly events: AsyncIterable<RecordedEvent>;
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
    // Callers do not share their turns and their quotas.
    const key = `${streamName(decider.aggregate, id)} ${walker.caller}`;
    const fold = this.#waiting.get(key) ?? this.#begin(decider, id, { key, walker });
    fold.times.add(time);
    const states = await fold.states;
    // What a reader does with a large state takes time, too.
    await pace.goOn();
    return states.get(time) as Loaded<S>;
  }

  #begin<S>(decider: Foldable<S>, id: string, { key, walker }: { readonly key: string; readonly walker: Walker }) {
    const times = new Set<number>();
    const forget = () => {
      if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    };
    const events = this.#walks.events(walker, this.#read(streamName(decider.aggregate, id), forget));
    const waiting: Waiting = { times, states: this.#statesAt(decider, id, { times, events }).finally(forget) };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  async #statesAt<S>(decider: Foldable<S>, id: string, { times, events }: Fold) {
    const states = new Map<number, Loaded<S>>();
    let left: number[] | undefined;
    let loaded: Loaded<S> = { ...emptyOf(decider), fresh: true };
    for await (const event of events) {
      // From here on, nobody adds a time.
      left ??= latestFirst(times);
      // Compared as numbers: as text, a time in the year 10000 (+010000-…) would sort before all others.
      const at = Date.parse(event.metadata.at);
      for (let time = left.at(-1); time !== undefined && time < at; time = left.at(-1)) {
        states.set(time, loaded);
        left.pop();
      }
      if (left.length === 0) return states;
      loaded = withRecorded(decider, id, loaded, event);
    }
    for (const time of left ?? times) states.set(time, loaded);
    this.#onEnd(streamName(decider.aggregate, id), loaded);
    return states;
  }

  async *#read(stream: string, begin: () => void): AsyncGenerator<RecordedEvent> {
    begin();
    yield* this.#facts.readStream(stream);
  }
}

const latestFirst = (times: ReadonlySet<number>): number[] => [...times].sort((one, other) => other - one);
