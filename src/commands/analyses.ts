// Analyses forms for all callers: two at a time, the others in their order, in turns of the event loop.
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { analysisOf } from '../domain/scoring/analysis.js';
import type { ScoredForm } from '../domain/scoring/answers.js';
import type { Analysis } from '../domain/scoring/schemas.js';
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

export class Analyses {
  readonly #analyse: (form: ScoredForm) => Steps;
  readonly #limit = pLimit(AT_ONCE);
  /** By the digest of the form. */
  readonly #unfinished = new Map<string, Promise<Analysis>>();
  /** The number of waiting analyses by caller. */
  readonly #waiting = new Map<string, number>();

  constructor(analyse: (form: ScoredForm) => Steps = analysisOf) {
    this.#analyse = analyse;
  }

  /**
   * Returns the analysis of a form. Equal forms share it. The caller is a user, or in open mode an address. Rejects with
   * `AnalysisBusy` above the limit of a caller.
   */
  async of(form: ScoredForm, caller: string): Promise<Analysis> {
    const digest = createHash('sha256').update(JSON.stringify(form)).digest('hex');
    return this.#unfinished.get(digest) ?? this.#begin(form, caller, digest);
  }

  #begin(form: ScoredForm, caller: string, digest: string): Promise<Analysis> {
    const waits = this.#limit.activeCount === AT_ONCE;
    if (waits) this.#count(caller, 1);
    const begin = () => {
      if (waits) this.#count(caller, -1);
      return inTurns(this.#analyse(form));
    };
    const analysis = this.#limit(begin).finally(() => this.#unfinished.delete(digest));
    this.#unfinished.set(digest, analysis);
    return analysis;
  }

  #count(caller: string, change: 1 | -1): void {
    const waiting = (this.#waiting.get(caller) ?? 0) + change;
    if (waiting > MOST_WAITING) throw new AnalysisBusy();
    if (waiting === 0) this.#waiting.delete(caller);
    else this.#waiting.set(caller, waiting);
  }
}

const inTurns = async (steps: Steps): Promise<Analysis> => {
  const turns = new Turns(TURN_MS);
  // Another analysis may have ended in this turn, and used up its time.
  await turns.next();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (turns.isLong) await turns.next();
  }
};
