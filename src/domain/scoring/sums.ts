// A set of sums, which are exact whole numbers of any size. The set has two forms behind one interface: bits for sums that
// lie close together, and sorted runs for all others.

/**
 * What a step of long work took: the additions since the step before, and the memory that it took or released. The unit
 * of both is a run, and `BITS_OF_ADDITION` or `BITS_OF_RUN` bits.
 */
export interface Step {
  readonly added: number;
  readonly held: number;
}

/** Long work in steps. A step makes at most `LONGEST_STEP` additions. */
export type Steps<R> = Generator<Step, R, void>;

export const LONGEST_STEP = 4_096;
export const BITS_OF_ADDITION = 4_096;
const BITS_OF_RUN = 64;
const BITS_OF_COUNT = 65_536;

/** A set with at least one member. */
export interface Sums<S> {
  readonly min: bigint;
  readonly max: bigint;
  /** The memory of the set; 0 if it shares the memory of another set. */
  readonly cost: number;
  /** The additions in whose time a member is found. */
  readonly search: number;
  /** Returns the set with a number added to each member. It shares the memory of this set. */
  shifted(by: bigint): S;
  /** Returns the union of both sets, and releases their memory. */
  union(other: S): Steps<S>;
  /** Returns the smallest member that is not below `from`. */
  next(from: bigint): bigint | undefined;
  /** Returns the largest member that is not above `to`. */
  previous(to: bigint): bigint | undefined;
  /** Returns the last of the consecutive members that follow a member. */
  runEnd(member: bigint): bigint;
  count(): Steps<number>;
}

/** A set whose members differ by multiples of a unit. Bit n stands for the smallest member and n units. */
export class Bits implements Sums<Bits> {
  readonly #unit: bigint;
  readonly #bits: bigint;
  readonly min: bigint;
  readonly #length: number;
  readonly cost: number;
  #text: string | undefined;

  private constructor(unit: bigint, bits: bigint, place: { readonly min: bigint; readonly length: number }, cost = 0) {
    this.#unit = unit;
    this.#bits = bits;
    this.min = place.min;
    this.#length = place.length;
    this.cost = cost;
  }

  /** Returns the set of 0. */
  static zero(unit: bigint): Bits {
    return new Bits(unit, 1n, { min: 0n, length: 1 });
  }

  get max(): bigint {
    return this.#memberAt(this.#length - 1);
  }

  get search(): number {
    return 1 + Math.floor(this.#length / BITS_OF_ADDITION);
  }

  shifted(by: bigint): Bits {
    return new Bits(this.#unit, this.#bits, { min: this.min + by, length: this.#length });
  }

  *union(other: Bits): Steps<Bits> {
    const [low, high] = this.min <= other.min ? [this, other] : [other, this];
    const up = Number((high.min - low.min) / this.#unit);
    const length = Math.max(low.#length, high.#length + up);
    const bits = low.#bits | (high.#bits << BigInt(up));
    const union = new Bits(this.#unit, bits, { min: low.min, length }, 1 + Math.floor(length / BITS_OF_RUN));
    yield { added: union.search, held: union.cost - this.cost - other.cost };
    return union;
  }

  next(from: bigint): bigint | undefined {
    if (from > this.max) return undefined;
    const index = this.#indexOf(from + this.#unit - 1n);
    return this.#memberAt(index <= 0 ? 0 : this.#find('1', index));
  }

  previous(to: bigint): bigint | undefined {
    if (to < this.min) return undefined;
    const end = this.#length - 1;
    return this.#memberAt(end - this.#digits.indexOf('1', end - this.#indexOf(to)));
  }

  runEnd(member: bigint): bigint {
    return this.#memberAt(this.#find('0', this.#indexOf(member)) - 1);
  }

  *count(): Steps<number> {
    let count = 0;
    for (let at = 0; at < this.#length; at += BITS_OF_COUNT) {
      count += onesIn(this.#digits.slice(at, at + BITS_OF_COUNT));
      yield { added: BITS_OF_COUNT / BITS_OF_ADDITION, held: 0 };
    }
    return count;
  }

  /** The bits as digits, the highest first. Searching a text takes the least time. */
  get #digits(): string {
    this.#text ??= this.#bits.toString(2);
    return this.#text;
  }

  /** Returns the index of the first bit from `index` on that has a value; the length if there is none. */
  #find(bit: '0' | '1', index: number): number {
    return this.#length - 1 - this.#digits.lastIndexOf(bit, this.#length - 1 - index);
  }

  #indexOf(member: bigint): number {
    return Number((member - this.min) / this.#unit);
  }

  #memberAt(index: number): bigint {
    return this.min + this.#unit * BigInt(index);
  }
}

const onesIn = (digits: string): number => {
  let ones = 0;
  for (let at = 0; at < digits.length; at += 1) ones += Number(digits[at] === '1');
  return ones;
};

/** Whole numbers. Those of at most 64 bits take less time and memory in a typed array. */
type Cells = BigInt64Array | bigint[];

/** Runs of consecutive numbers, sorted, with gaps between them. */
interface List {
  readonly lows: Cells;
  readonly highs: Cells;
  /** Added to every number of both. */
  readonly offset: bigint;
}

/** A set as a list of runs. */
export class Runs implements Sums<Runs> {
  readonly #list: List;
  readonly #costOfRun: number;
  readonly cost: number;
  readonly search = 1;

  private constructor(list: List, costOfRun: number, cost = 0) {
    this.#list = list;
    this.#costOfRun = costOfRun;
    this.cost = cost;
  }

  /** Returns the set of 0. Sets that are made from it may have sums of this many bits. */
  static zero(bits: number): Runs {
    const cells = () => (bits < 63 ? BigInt64Array.of(0n) : [0n]);
    return new Runs({ lows: cells(), highs: cells(), offset: 0n }, bits < 63 ? 1 : 4 + Math.ceil(bits / 64));
  }

  get min(): bigint {
    return (this.#list.lows[0] ?? 0n) + this.#list.offset;
  }

  get max(): bigint {
    return (this.#list.highs.at(-1) ?? 0n) + this.#list.offset;
  }

  shifted(by: bigint): Runs {
    return new Runs({ ...this.#list, offset: this.#list.offset + by }, this.#costOfRun);
  }

  *union(other: Runs): Steps<Runs> {
    const merge = mergeOf(this.#list, other.#list);
    let cost = 0;
    for (let done = 0; done < merge.lows.length; ) {
      const more = Math.min(merge.lows.length - done, Math.floor(LONGEST_STEP / this.#costOfRun));
      done += more;
      mergeUpTo(done, merge, this.#list, other.#list);
      const held = merge.size * this.#costOfRun - cost;
      cost += held;
      yield { added: more * this.#costOfRun, held };
    }
    yield { added: 0, held: -this.cost - other.cost };
    const lows = ofSize(merge.lows, merge.size);
    const highs = merge.highs === merge.lows ? lows : ofSize(merge.highs, merge.size);
    return new Runs({ lows, highs, offset: 0n }, this.#costOfRun, cost);
  }

  next(from: bigint): bigint | undefined {
    const { lows, highs, offset } = this.#list;
    const low = lows[firstFrom(highs, from - offset)];
    if (low === undefined) return undefined;
    return low + offset < from ? from : low + offset;
  }

  previous(to: bigint): bigint | undefined {
    const { lows, highs, offset } = this.#list;
    const high = highs[firstFrom(lows, to - offset + 1n) - 1];
    if (high === undefined) return undefined;
    return high + offset > to ? to : high + offset;
  }

  runEnd(member: bigint): bigint {
    const { highs, offset } = this.#list;
    return (highs[firstFrom(highs, member - offset)] ?? 0n) + offset;
  }

  *count(): Steps<number> {
    const { lows, highs } = this.#list;
    let count = 0;
    for (const [index, low] of lows.entries()) {
      count += Number((highs[index] ?? low) - low) + 1;
      if (index % LONGEST_STEP === 0) yield { added: LONGEST_STEP, held: 0 };
    }
    return count;
  }
}

/** Returns the index of the first number that is not below `from`, in a sorted list. */
const firstFrom = (numbers: Cells, from: bigint): number =>
  firstIndex(numbers.length, (index) => (numbers[index] ?? from) >= from);

/** Returns the first index that fits, if all later ones fit, too; the length if none fits. */
export const firstIndex = (length: number, fits: (index: number) => boolean): number => {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** A merge of two lists: the place in each, and the merged runs so far. */
interface Merge {
  one: number;
  other: number;
  size: number;
  readonly lows: Cells;
  /** The same cells as `lows` until a run has several numbers. */
  highs: Cells;
}

const mergeOf = (one: List, other: List): Merge => {
  const most = one.lows.length + other.lows.length;
  const cells = Array.isArray(one.lows) ? new Array<bigint>(most).fill(0n) : new BigInt64Array(most);
  return { one: 0, other: 0, size: 0, lows: cells, highs: cells };
};

/** Returns the first cells. Copies them only if there are more: most lists have no runs in common. */
const ofSize = (cells: Cells, size: number): Cells => (cells.length === size ? cells : cells.slice(0, size));

/** Merges this many runs of both lists. A function is twice as fast here as the loop would be in a generator (V8). */
const mergeUpTo = (end: number, merge: Merge, one: List, other: List): void => {
  let [low, rival] = [lowAt(one, merge.one), lowAt(other, merge.other)];
  while (merge.one + merge.other < end) {
    if (rival === undefined || (low !== undefined && low <= rival)) {
      addRun(merge, low ?? 0n, one, merge.one);
      merge.one += 1;
      low = lowAt(one, merge.one);
    } else {
      addRun(merge, rival, other, merge.other);
      merge.other += 1;
      rival = lowAt(other, merge.other);
    }
  }
};

const lowAt = ({ lows, offset }: List, index: number): bigint | undefined => {
  const low = lows[index];
  return low === undefined ? undefined : low + offset;
};

/** Adds a run of a list. It begins no earlier than the last run, and is joined with it if there is no gap between both. */
const addRun = (merge: Merge, low: bigint, list: List, index: number): void => {
  const { lows, highs, size } = merge;
  const end = list.highs[index] ?? 0n;
  // Most runs are a single number, which takes its memory once.
  const high = end === list.lows[index] ? low : end + list.offset;
  const last = size === 0 ? undefined : highs[size - 1];
  if (last === undefined || low > last + 1n) {
    lows[size] = low;
    merge.size = size + 1;
    setHigh(merge, size, high);
  } else if (high > last) setHigh(merge, size - 1, high);
};

const setHigh = (merge: Merge, index: number, high: bigint): void => {
  if (merge.highs === merge.lows) {
    if (merge.lows[index] === high) return;
    merge.highs = merge.lows.slice();
  }
  merge.highs[index] = high;
};
