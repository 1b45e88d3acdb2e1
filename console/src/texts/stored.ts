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

/** Returns whether the browser keeps cookies. With all blocked, `navigator.cookieEnabled` of Chromium is still true. */
export const keepsCookies = (): boolean => {
  write('keeps-cookies=yes');
  const isKept = document.cookie.includes('keeps-cookies=yes');
  write('keeps-cookies=; Max-Age=0');
  return isKept;
};

const write = (cookie: string): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the oldest browsers have no cookieStore
  document.cookie = `${cookie}; SameSite=Strict`;
};
