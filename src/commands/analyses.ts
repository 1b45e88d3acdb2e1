// Analyses forms for all callers: two at a time, the others in their order, in turns of the event loop.
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { analysisOf } from '../domain/scoring/analysis.js';
import type { ScoredForm } from '../domain/scoring/answers.js';
import type { Analysis } from '../domain/scoring/schemas.js';
import { Turns } from '../infrastructure/turns.js';

const AT_ONCE = 2;
const MOST_WAITING = 4;

/** Signals that too many analyses of one caller are waiting. */
export class AnalysisBusy extends Error {
  constructor() {
    super(`at most ${MOST_WAITING} analyses of a caller can wait`);
    this.name = 'AnalysisBusy';
  }
}

type Steps = Generator<unknown, Analysis, void>;

/** A form to analyse. Requests with the same key have the same form. */
export interface AnalysisRequest {
  readonly form: ScoredForm;
  readonly key: string;
  /** The user; in open mode the address. */
  readonly caller: string;
}

/** Returns the key of a form at a revision of its protocol. */
export const keyAt = (formId: string, revision: number): string => `${formId}@${revision}`;

/** Returns the key of a form that is not recorded. Equal forms have the same key. */
export const keyOf = (form: ScoredForm): string => createHash('sha256').update(JSON.stringify(form)).digest('hex');

export class Analyses {
  readonly #analyse: (form: ScoredForm) => Steps;
  readonly #limit = pLimit(AT_ONCE);
  readonly #unfinished = new Map<string, Promise<Analysis>>();
  /** The number of waiting analyses by caller. */
  readonly #waiting = new Map<string, number>();

  constructor(analyse: (form: ScoredForm) => Steps = analysisOf) {
    this.#analyse = analyse;
  }

  /** Returns the analysis of a form. Equal requests share it. Rejects with `AnalysisBusy` above the limit of a caller. */
  async of(request: AnalysisRequest): Promise<Analysis> {
    return this.#unfinished.get(request.key) ?? this.#begin(request);
  }

  #begin({ form, key, caller }: AnalysisRequest): Promise<Analysis> {
    const waits = this.#limit.activeCount === AT_ONCE;
    if (waits) this.#count(caller, 1);
    const begin = () => {
      if (waits) this.#count(caller, -1);
      return inTurns(this.#analyse(form));
    };
    const analysis = this.#limit(begin).finally(() => this.#unfinished.delete(key));
    this.#unfinished.set(key, analysis);
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
  const turns = new Turns();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (turns.isLong) await turns.next();
  }
};
