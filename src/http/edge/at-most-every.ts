// Calls a function now and then.
/** Returns a function that calls `tell`, and then does nothing for so many milliseconds. */
export const atMostEvery = (ms: number, tell: () => void): (() => void) => {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    tell();
  };
};
