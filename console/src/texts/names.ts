// Names that a reader types or pastes, several at once.

/** The characters that separate names. A name may have a comma. */
export const SEPARATORS = [';', '\n', '\r', '\u2028', '\u2029'];
const SEPARATOR = new RegExp(`[${SEPARATORS.join('')}]`);

const folded = (name: string): string => name.replaceAll(/\s+/g, ' ').trim();

/** Returns the names in texts, each once, with single blanks. A name that is known is one name, whatever it contains. */
export const namesIn = (texts: readonly string[], known: readonly string[]): readonly string[] => {
  const whole = new Set(known.map(folded));
  const names = texts
    .flatMap((text) => (whole.has(folded(text)) ? [text] : text.split(SEPARATOR)))
    .map(folded)
    .filter(Boolean);
  return names.filter((name, at) => names.findIndex((each) => each.toLowerCase() === name.toLowerCase()) === at);
};
