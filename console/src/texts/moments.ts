// Dates and times as people write them.
import type { Language } from './language.js';

const LOCALES: { readonly [L in Language]: string } = { en: 'en-GB', pt: 'pt-BR' };

/** Returns an instant as a day and a time, for example "24 Nov 2026, 10:12". */
export const momentIn = (language: Language, at: string): string =>
  new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));

/** Returns an ISO date as a day. A date has no time zone. */
export const dayIn = (language: Language, date: string): string =>
  new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

const THIS_MINUTE: { readonly [L in Language]: string } = { en: 'this minute', pt: 'agora há pouco' };
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns how long ago an instant was, for example "2 days ago". */
export const agoIn = (language: Language, at: string, now: number): string => {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1_000);
  const found = UNITS.find(([, each]) => seconds >= each);
  if (found === undefined) return THIS_MINUTE[language];
  const [unit, size] = found;
  return new Intl.RelativeTimeFormat(LOCALES[language], { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
};
