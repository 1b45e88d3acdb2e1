// Analyses forms for all callers: two at a time, the others in their order, in turns of the event loop.
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { analysisOf } from '../domain/scoring/analysis.js';
import type { ScoredForm } from '../domain/scoring/answers.js';
import type { Analysis } from '../domain/scoring/schemas.js';
import { abortable } from '../infrastructure/async.js';
import { Turns } from '../infrastructure/turns.js';

const AT_ONCE = 2;
const MOST_WAITING = 4;
// An analysis leaves garbage, and its collection takes up to 10 ms of the same turn.
const TURN_MS = 4;

/** Signals that too many analyses of one caller are waiting. */
export class AnalysisBusy extends Error {
  constructor() {
    super(`at most ${MOST_WAITING} analyses of a caller can wait`);
    this.name = 'AnalysisBusy';
  }
}

type Steps = Generator<unknown, Analysis, void>;

/** An analysis that runs or waits. It ends when nobody waits for its result. */
interface Unfinished {
  readonly result: Promise<Analysis>;
  readonly end: AbortController;
  waiters: number;
}

export class Analyses {
  readonly #analyse: (form: ScoredForm) => Steps;
  readonly #limit = pLimit(AT_ONCE);
  /** By the digest of the form. */
  readonly #unfinished = new Map<string, Unfinished>();
  /** The number of waiting analyses by caller. */
  readonly #waiting = new Map<string, number>();
  /** The number of forms that are being read, by caller. */
  readonly #arriving = new Map<string, number>();

  constructor(analyse: (form: ScoredForm) => Steps = analysisOf) {
    this.#analyse = analyse;
  }

  /**
   * Takes a place for a form that is about to be read. Returns what gives the place back. Throws `AnalysisBusy` if the
   * analysis of the form would exceed the limit of the caller.
   */
  enter(caller: string): () => void {
    const free = AT_ONCE - this.#limit.activeCount;
    const taken = countOf(this.#waiting, caller) + countOf(this.#arriving, caller);
    if (taken >= free + MOST_WAITING) throw new AnalysisBusy();
    add(this.#arriving, caller, 1);
    let hasLeft = false;
    return () => {
      if (!hasLeft) add(this.#arriving, caller, -1);
      hasLeft = true;
    };
  }

  /**
   * Returns the analysis of a form. Equal forms share it. The caller is a user, or in open mode an address. Rejects with
   * `AnalysisBusy` above the limit of a caller, and with the reason of `gone` when it aborts.
   */
  async of(form: ScoredForm, caller: string, gone?: AbortSignal): Promise<Analysis> {
    const digest = createHash('sha256').update(JSON.stringify(form)).digest('hex');
    const unfinished = this.#unfinished.get(digest) ?? this.#begin(form, caller, digest);
    unfinished.waiters += 1;
    if (gone === undefined) return unfinished.result;
    return abortable(unfinished.result, gone).finally(() => {
      unfinished.waiters -= 1;
      if (unfinished.waiters > 0) return;
      this.#forget(digest, unfinished);
      unfinished.end.abort();
    });
  }

  #begin(form: ScoredForm, caller: string, digest: string): Unfinished {
    const waits = this.#limit.activeCount === AT_ONCE;
    if (waits && countOf(this.#waiting, caller) === MOST_WAITING) throw new AnalysisBusy();
    if (waits) add(this.#waiting, caller, 1);
    const end = new AbortController();
    let isWaiting = waits;
    const leave = () => {
      if (isWaiting) add(this.#waiting, caller, -1);
      isWaiting = false;
    };
    end.signal.addEventListener('abort', leave);
    const begin = () => {
      leave();
      return inTurns(this.#analyse(form), end.signal);
    };
    const result = this.#limit(begin).finally(() => this.#forget(digest, unfinished));
    const unfinished: Unfinished = { result, end, waiters: 0 };
    this.#unfinished.set(digest, unfinished);
    return unfinished;
  }

  #forget(digest: string, unfinished: Unfinished): void {
    if (this.#unfinished.get(digest) === unfinished) this.#unfinished.delete(digest);
  }
}

type Counts = Map<string, number>;

const countOf = (counts: Counts, caller: string): number => counts.get(caller) ?? 0;

const add = (counts: Counts, caller: string, change: 1 | -1): void => {
  const count = countOf(counts, caller) + change;
  if (count === 0) counts.delete(caller);
  else counts.set(caller, count);
};

const inTurns = async (steps: Steps, end: AbortSignal): Promise<Analysis> => {
  const turns = new Turns(TURN_MS);
  // Another analysis may have ended in this turn, and used up its time.
  await turns.next();
  for (end.throwIfAborted(); ; end.throwIfAborted()) {
    const step = steps.next();
    if (step.done) return step.value;
    if (turns.isLong) await turns.next();
  }
};
