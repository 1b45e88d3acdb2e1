// Lets work begin only while a turn of the event loop is short. Everything else, a health check for example, then has its
// turn soon, however much work has arrived at once. (The npm packages for this, such as toobusy-js and overload-protection,
// measure the event loop after the fact, and know nothing of the work that waits.)

// How long a turn lets work begin, in milliseconds.
const TURN_MS = 20;
// New work is refused while the work before it will take longer, in milliseconds. A few pieces may always wait, because every
// piece takes long on a busy machine.
const MOST_WAITING_MS = 1_000;
const FEW = 64;
// New work that has waited longer is refused, whatever the means said, in milliseconds.
const LONGEST_WAIT_MS = 5_000;
// The weight of the last piece of work in the moving mean of its kind.
const WEIGHT = 0.2;
// Pieces that go on together take less time than pieces one after another, because their steps find the caches of the
// processor warm. More pieces would hold the event loop if one of them takes longer than its kind ever did.
const MOST_TOGETHER = 32;
// How much of the longest piece is forgotten with each piece.
const FORGOTTEN = 0.05;

/** The work of one kind, for example of a route. */
export class WorkKind {
  /** The moving mean of what a piece takes, in milliseconds. It begins at 0, because the first pieces take longer. */
  meanMs = 0;
  /** What the longest piece of the last ones took, in milliseconds. The first piece goes on alone. */
  longestMs = TURN_MS;

  /** Notes what a piece took. */
  took(ms: number): void {
    this.meanMs += (ms - this.meanMs) * WEIGHT;
    this.longestMs = Math.max(ms, this.longestMs * (1 - FORGOTTEN));
  }
}

/** A piece of work, for example a request. */
export interface Piece {
  readonly kind: WorkKind;
  hasEnded?: boolean;
  /** How long the piece has had the event loop so far, in milliseconds. */
  tookMs: number;
}

/** Signals that too much work waits. */
export class Overloaded extends Error {
  constructor() {
    super('too much work waits');
    this.name = 'Overloaded';
  }
}

// Created once, because the stack of an error costs more than the rest of a refusal.
export const OVERLOADED = new Overloaded();

interface Waiting {
  readonly work: Piece | undefined;
  readonly meanMs: number;
  readonly since: number;
  readonly goOn: () => void;
  /** Refuses new work; undefined for work that has begun. */
  readonly refuse: ((error: Overloaded) => void) | undefined;
}

interface EventLoop {
  readonly now: () => number;
  readonly nextTurn: (callback: () => void) => void;
  /** Calls back when no promise can go on any more in this turn. */
  readonly afterPromises: (callback: () => void) => void;
}

const EVENT_LOOP: EventLoop = {
  now: () => performance.now(),
  nextTurn: setImmediate,
  // Promises go on before a tick that one of them has asked for.
  afterPromises: (callback) => queueMicrotask(() => process.nextTick(callback)),
};

export class Pace {
  readonly #loop: EventLoop;
  readonly #queue: Waiting[] = [];
  /** What the waiting work will take, as far as its kinds are known. */
  #waitingMs = 0;
  /** The pieces that have the event loop. */
  #current: { readonly pieces: readonly Waiting[]; readonly since: number } | undefined;
  #turnBegan = 0;
  #isAsked = false;
  /**
   * The same object for pieces of work that follow each other while nothing else has a turn, so that nothing that this
   * process can learn changes; undefined outside of pieces.
   */
  run: object | undefined;

  constructor(loop = EVENT_LOOP) {
    this.#loop = loop;
  }

  /**
   * Resolves when new work may begin, as `goOn` does. Rejects with `Overloaded` if too much work waits before it. A
   * rejection waits in line, too: the response takes time, and in this turn it would invite the next request into it.
   */
  begin(work: Piece): Promise<void> | undefined {
    if (this.#hasTime()) return undefined;
    if (this.#queue.length < FEW || this.#waitingMs <= MOST_WAITING_MS) {
      return new Promise((goOn, refuse) => this.#wait(work, goOn, refuse));
    }
    return new Promise((_, refuse) => this.#wait(undefined, () => refuse(OVERLOADED)));
  }

  /** Resolves when work that has begun may go on: at once inside of a piece while the turn is short, else in its turn. */
  goOn(work?: Piece): Promise<void> | undefined {
    return this.#hasTime() ? undefined : new Promise((goOn) => this.#wait(work, goOn));
  }

  /** Notes that work has ended. Its kind learns what it took when the present piece has ended, too. */
  end(work: Piece): void {
    work.hasEnded = true;
    if (!this.#current?.pieces.some((piece) => piece.work === work)) work.kind.took(work.tookMs);
  }

  // Nobody would measure what goes on outside of a piece.
  #hasTime(): boolean {
    return this.#current !== undefined && this.#loop.now() - this.#turnBegan < TURN_MS;
  }

  #wait(work: Piece | undefined, goOn: () => void, refuse?: Waiting['refuse']): void {
    const meanMs = work?.kind.meanMs ?? 0;
    this.#waitingMs += meanMs;
    this.#queue.push({ work, meanMs, since: this.#loop.now(), goOn, refuse });
    this.#askForTurn();
  }

  #askForTurn(): void {
    if (!this.#isAsked) this.#loop.nextTurn(this.#beginTurn);
    this.#isAsked = true;
  }

  readonly #beginTurn = (): void => {
    this.#isAsked = false;
    this.#turnBegan = this.#loop.now();
    this.run = {};
    this.#next(this.#turnBegan);
  };

  #next(now: number): void {
    const pieces = this.#take(this.#turnBegan + TURN_MS - now);
    if (pieces.length > 0) {
      this.#current = { pieces, since: now };
      for (const piece of pieces) this.#let(piece, now);
      this.#loop.afterPromises(this.#end);
      return;
    }
    this.run = undefined;
    if (this.#queue.length > 0) this.#askForTurn();
  }

  /** Takes the pieces that fit into a time, in milliseconds: at least one, if there is any time. */
  #take(leftMs: number): readonly Waiting[] {
    let [count, ms] = [0, 0];
    for (const { work } of this.#queue) {
      ms += work?.kind.longestMs ?? TURN_MS;
      if (count === MOST_TOGETHER || leftMs <= 0 || (count > 0 && ms > leftMs)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  #let({ meanMs, since, goOn, refuse }: Waiting, now: number): void {
    this.#waitingMs -= meanMs;
    if (now - since > LONGEST_WAIT_MS && refuse !== undefined) refuse(OVERLOADED);
    else goOn();
  }

  readonly #end = (): void => {
    const now = this.#loop.now();
    const { pieces = [], since = now } = this.#current ?? {};
    this.#current = undefined;
    for (const { work } of pieces) {
      if (work === undefined) continue;
      work.tookMs += (now - since) / pieces.length;
      if (work.hasEnded) work.kind.took(work.tookMs);
    }
    this.#next(now);
  };
}

/** The pace of this thread. */
export const pace = new Pace();
