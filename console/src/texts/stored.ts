// What the browser keeps for the reader. A browser that keeps nothing, or has no room, forgets it when the page is closed.
// The parts of Mantine that store the theme take care of that, too.

/** Returns what was stored; null if nothing was, or if the browser keeps nothing. */
export const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

/** Stores a value if the browser can. */
export const store = (key: string, value: string): void => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The page has the value in memory.
  }
};
