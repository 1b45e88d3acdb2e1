// Limits how often a function is called.
/** Returns a function that calls `tell`, but at most once in `ms` milliseconds. */
export const atMostEvery = (ms: number, tell: () => void): (() => void) => {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    tell();
  };
};
