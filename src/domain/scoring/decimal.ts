// Exact decimals: whole numbers with a scale, so that 0.1 ten times is 1. The analysis of a form uses the whole numbers
// alone, at one scale for the whole form.

/** `digits` / 10^`scale`. A large round number has a negative scale, so that its digits are few. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Returns a finite number as the decimal of its shortest text, which is what a client sent or reads. */
export const decimalOf = (number: number): Decimal => {
  // Most scores are whole numbers, which need no text.
  if (Number.isSafeInteger(number)) return { digits: BigInt(number), scale: 0 };
  const [mantissa = '', exponent = 0] = `${number}`.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
};

/** Returns the digits of a decimal at a scale that is at least its own. */
export const digitsAt = ({ digits, scale }: Decimal, common: number): bigint =>
  scale === common ? digits : digits * powerOfTen(common - scale);

// The numbers of a form differ by some hundred powers. To compute one takes longer than to multiply with it.
const powers: bigint[] = [];
const powerOfTen = (exponent: number): bigint => {
  const power = powers[exponent] ?? 10n ** BigInt(exponent);
  powers[exponent] = power;
  return power;
};

export const sumOf = (decimals: readonly Decimal[]): Decimal => {
  if (decimals.length === 0) return ZERO;
  const scale = Math.max(...decimals.map((each) => each.scale));
  return { digits: decimals.reduce((sum, each) => sum + digitsAt(each, scale), 0n), scale };
};

export const times = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

/** Returns a negative number if `a` is below `b`, zero if both are equal, and otherwise a positive number. */
export const compare = (a: Decimal, b: Decimal): number => {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [digitsAt(a, scale), digitsAt(b, scale)];
  return Number(left > right) - Number(left < right);
};

/** Returns the nearest double. A number beyond all doubles becomes the outermost double, because JSON has no infinity. */
export const numberOf = ({ digits, scale }: Decimal): number => {
  const nearest = Number(`${digits}e${-scale}`);
  return Math.min(Math.max(nearest, -Number.MAX_VALUE), Number.MAX_VALUE);
};

/** Returns a number as responses show it; null in place of a bound that does not exist. */
export const numberOrNull = (decimal: Decimal | undefined): number | null =>
  decimal === undefined ? null : numberOf(decimal);
