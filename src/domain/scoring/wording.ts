// The words of explanations and findings.
import { compare, type Decimal, decimalOf, digitsAt, numberOf } from './decimal.js';

const LONGEST_QUOTE = 80;

/** Returns a text in quotation marks. A text of more than 80 characters is cut and ends with an ellipsis. */
export const quoted = (text: string): string => {
  // A code point has at most two units, so the rest of a long text need not be split.
  const characters = [...text.slice(0, 2 * LONGEST_QUOTE + 2)];
  return `“${characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE - 1).join('')}…` : text}”`;
};

const MOST_DIGITS = 80;

/** Returns the exact text of a decimal. One with more than 80 digits before or after its point is rounded, and says so. */
export const exactTextOf = (given: Decimal): string => {
  const nearest = numberOf(given);
  if (compare(given, decimalOf(nearest)) === 0) return `${nearest}`;
  const decimal = withoutZeros(given);
  if (Math.abs(nearest) >= 10 ** MOST_DIGITS || decimal.scale > MOST_DIGITS) return `about ${nearest}`;
  const places = Math.max(decimal.scale, 0);
  const sign = decimal.digits < 0n ? '-' : '';
  const digits = `${digitsAt(decimal, places)}`.replace('-', '').padStart(places + 1, '0');
  const point = digits.length - places;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.$/, '');
};

/** Returns the decimal without zeros at the end of its fraction. */
const withoutZeros = ({ digits, scale }: Decimal): Decimal => {
  const text = `${digits}`;
  let zeros = 0;
  while (zeros < scale && text.at(-1 - zeros) === '0') zeros += 1;
  return { digits: digits / 10n ** BigInt(zeros), scale: scale - zeros };
};
