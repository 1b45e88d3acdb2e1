// Limits how often a function runs.

/** Returns a function that calls `callback`, but at most once in `ms` milliseconds. */
export const atMostEvery = (ms: number, callback: () => void): (() => void) => {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    callback();
  };
};
