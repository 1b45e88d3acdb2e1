// Waits for other work: in turn, until a deadline, or until the caller aborts.

export class DeadlinePassed extends Error {
  constructor(ms: number) {
    super(`no response within ${Math.round(ms)} ms`);
    this.name = 'DeadlinePassed';
  }
}

/** Returns the result of `work`. Rejects with `DeadlinePassed` after `ms` milliseconds; the work itself continues. */
export const withDeadline = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // If the process itself was busy, it first reads the results that have arrived in the meantime.
    timer = setTimeout(() => setImmediate(reject, new DeadlinePassed(ms)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Returns the result of `work`. Rejects with the reason of `signal` when it aborts; the work itself continues. */
export const abortable = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};

/** Returns whether `work` succeeds or fails within `ms` milliseconds; the work itself continues. */
export const settlesWithin = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  withDeadline(Promise.allSettled([work]), ms).then(
    () => true,
    () => false,
  );

/** Resolves when all of `work` has ended. Rejects then with the first error of them. */
export const allEnded = async (work: readonly Promise<unknown>[]): Promise<void> => {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

/** Returns a function that opens something with its first call. */
export const openedOnce = <T>(open: () => Promise<T>): (() => Promise<T>) => {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
};

interface Patience {
  /** How long a call waits for a response, in milliseconds. Default: 250. */
  readonly deadlineMs?: number;
  /** How long a response is returned without asking again, in milliseconds. Default: 0. */
  readonly freshMs?: number;
}

/**
 * Returns a function that returns the result of `ask`, or the last known result if `ask` is silent for too long. Before
 * the first result that is `initial`. Overlapping calls share one `ask`, so that a silent store has one question to
 * respond to. Calls that wait for an `ask` that rejects reject, too.
 */
export const lastKnown = <T>(
  ask: () => Promise<T>,
  initial: T,
  { deadlineMs = 250, freshMs = 0 }: Patience = {},
): (() => Promise<T>) => {
  let known = initial;
  let freshUntil = Number.NEGATIVE_INFINITY;
  let asked: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    try {
      known = await ask();
      freshUntil = performance.now() + freshMs;
    } finally {
      asked = undefined;
    }
  };
  return async () => {
    if (performance.now() < freshUntil) return known;
    asked ??= renew();
    const current = asked;
    if (await settlesWithin(current, deadlineMs)) await current;
    return known;
  };
};

interface Turns {
  last: Promise<unknown>;
  length: number;
}

/** Runs the tasks of each key one at a time, in the order of the calls. Different keys do not wait for each other. */
export class KeyedQueue {
  readonly #turns = new Map<string, Turns>();

  length(key: string): number {
    return this.#turns.get(key)?.length ?? 0;
  }

  /** Resolves when all tasks that run or wait now have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.#turns.values()].map(({ last }) => last));
  }

  /** Runs `task` after the earlier tasks of `key`. If the previous task failed, `task` gets its error. */
  run<T>(key: string, task: (failure?: unknown) => Promise<T>): Promise<T> {
    const turns = this.#turns.get(key) ?? { last: Promise.resolve(), length: 0 };
    const result = turns.last.then(() => task(), task);
    const leave = () => {
      turns.length -= 1;
      if (turns.length === 0) this.#turns.delete(key);
    };
    result.then(leave, leave);
    turns.last = result;
    turns.length += 1;
    this.#turns.set(key, turns);
    return result;
  }
}
