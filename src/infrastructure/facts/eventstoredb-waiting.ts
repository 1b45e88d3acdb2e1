// Waiting that ends: at a deadline, or when nobody wants the result any more. What is left behind stays handled.

/** A call that took longer than this engine lets it. */
export class CallTimeout extends Error {
  constructor(ms: number) {
    super(`no answer within ${Math.round(ms)} ms`);
    this.name = 'CallTimeout';
  }
}

/** The result of `call`; rejects with `CallTimeout` where it has not come after `ms`. */
export const withDeadline = async <T>(call: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CallTimeout(ms)), ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The result of `call`, or undefined as soon as `signal` aborts. */
export const unlessAborted = async <T>(call: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  let leave = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
    signal.addEventListener('abort', leave);
  });
  try {
    return signal.aborted ? undefined : await Promise.race([call, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};

/** Resolves after `ms`, or as soon as `signal` aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
