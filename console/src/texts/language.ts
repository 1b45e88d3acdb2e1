// The language of the console. Until the reader chooses one, it is the language of the browser.
import { useSyncExternalStore } from 'react';
import { en, type Texts } from './en.js';
import { pt } from './pt.js';
import { store, stored } from './stored.js';

const tables = { en, pt } satisfies Readonly<Record<string, Texts>>;
export type Language = keyof typeof tables;
export const languages = Object.keys(tables) as readonly Language[];

const KEY = 'language';
const isLanguage = (text: string | null | undefined): text is Language => text != null && Object.hasOwn(tables, text);

const firstLanguage = (): Language => {
  const chosen = stored(KEY);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
};

let language = firstLanguage();
const listeners = new Set<() => void>();
document.documentElement.lang = language;

export const speak = (next: Language): void => {
  language = next;
  store(KEY, next);
  document.documentElement.lang = next;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const currentLanguage = (): Language => language;
export const currentTexts = (): Texts => tables[language];
export const useLanguage = (): Language => useSyncExternalStore(subscribe, currentLanguage);

/** Returns the texts of the reader's language. */
export const useTexts = (): Texts => tables[useLanguage()];
