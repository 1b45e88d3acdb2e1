// The words of explanations and findings.

const LONGEST_QUOTE = 80;

/** Returns a text in quotation marks. A text of more than 80 characters is cut and ends with an ellipsis. */
export const quoted = (text: string): string => {
  // A code point has at most two units, so the rest of a long text need not be split.
  const characters = [...text.slice(0, 2 * LONGEST_QUOTE + 2)];
  return `“${characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE - 1).join('')}…` : text}”`;
};
