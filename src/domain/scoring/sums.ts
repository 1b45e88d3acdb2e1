// A set of sums, which are exact whole numbers of any size, as sorted runs of neighbouring sums.

/** What a step of long work took: the additions since the step before, and the memory that it took or released, in runs. */
export interface Step {
  readonly added: number;
  readonly held: number;
}

/** Long work in steps. A step makes at most `LONGEST_STEP` additions. */
export type Steps<R> = Generator<Step, R, void>;

export const LONGEST_STEP = 4_096;

/** Whole numbers. Bigints stand for large ones: what is done with cells has the same result. */
type Cells = Int32Array | Float64Array | number[];

/** How lists keep their numbers. Small ones take less time and memory. */
interface Kind {
  readonly cells: (size: number) => Cells;
  readonly cell: (number: bigint) => number;
  /** What a run counts in the additions and the memory of a step. */
  readonly added: number;
  readonly held: number;
}

const asIs = (large: unknown) => large as number & number[];
const INTEGERS: Kind = { cells: (size) => new Int32Array(size), cell: Number, added: 1 / 4, held: 1 / 4 };
const DOUBLES: Kind = { cells: (size) => new Float64Array(size), cell: Number, added: 1 / 4, held: 1 / 2 };
const BIGINTS: Kind = { cells: (size) => asIs(new BigInt64Array(size)), cell: asIs, added: 1, held: 1 };

/** Returns how to keep numbers of so many bits, one of which is the sign. */
const kindFor = (bits: number): Kind => {
  if (bits <= 32) return INTEGERS;
  if (bits <= 54) return DOUBLES;
  if (bits <= 64) return BIGINTS;
  const cost = 4 + Math.ceil(bits / 64);
  return { cells: (size) => asIs(new Array<bigint>(size).fill(0n)), cell: asIs, added: cost, held: cost };
};

/** Runs of consecutive numbers, sorted, with gaps between them. */
interface List {
  readonly lows: Cells;
  readonly highs: Cells;
}

/** What all sets of one analysis share. The members of a set differ by multiples of the unit. */
interface Scale extends Kind {
  readonly unit: bigint;
}

/** A set with at least one member. Each member is an offset and a number of units, which the list has. */
export class Sums {
  readonly #list: List;
  readonly #offset: bigint;
  readonly #scale: Scale;
  /** The memory of the set; 0 if it shares the memory of another set. */
  readonly cost: number;

  private constructor(list: List, offset: bigint, scale: Scale, cost = 0) {
    this.#list = list;
    this.#offset = offset;
    this.#scale = scale;
    this.cost = cost;
  }

  /** Returns the set of 0. The members of a set that is made from it may differ by numbers of units of this many bits. */
  static zero(unit = 1n, bits = 32): Sums {
    const kind = kindFor(bits);
    const cells = kind.cells(1);
    return new Sums({ lows: cells, highs: cells }, 0n, { ...kind, unit });
  }

  get min(): bigint {
    return this.#member(this.#list.lows[0]);
  }

  get max(): bigint {
    return this.#member(this.#list.highs.at(-1));
  }

  /** Returns the set with a number added to each member. It shares the memory of this set. */
  shifted(by: bigint): Sums {
    return new Sums(this.#list, this.#offset + by, this.#scale);
  }

  /** Returns the union of both sets, and releases their memory. */
  *union(other: Sums): Steps<Sums> {
    const scale = this.#scale;
    const one = { ...this.#list, by: scale.cell(0n) };
    const two = { ...other.#list, by: scale.cell((other.#offset - this.#offset) / scale.unit) };
    const cells = scale.cells(one.lows.length + two.lows.length);
    const merge = { one: 0, other: 0, size: 0, lows: cells, highs: cells };
    let cost = 0;
    for (let done = 0; done < merge.lows.length; ) {
      const more = Math.min(merge.lows.length - done, Math.floor(LONGEST_STEP / scale.added));
      done += more;
      mergeUpTo(done, merge, one, two);
      const held = merge.size * scale.held - cost;
      cost += held;
      yield { added: more * scale.added, held };
    }
    yield { added: 0, held: -this.cost - other.cost };
    const lows = ofSize(merge.lows, merge.size);
    const highs = merge.highs === merge.lows ? lows : ofSize(merge.highs, merge.size);
    return new Sums({ lows, highs }, this.#offset, scale, cost);
  }

  /** Returns the smallest member that is not below `from`. */
  next(from: bigint): bigint | undefined {
    const { lows, highs } = this.#list;
    const cell = -quotient(this.#offset - from, this.#scale.unit);
    const low = lows[firstFrom(highs, cell)];
    return low === undefined ? undefined : this.#member(low < cell ? cell : low);
  }

  /** Returns the largest member that is not above `to`. */
  previous(to: bigint): bigint | undefined {
    const { lows, highs } = this.#list;
    const cell = quotient(to - this.#offset, this.#scale.unit);
    const high = highs[firstFrom(lows, cell + 1n) - 1];
    return high === undefined ? undefined : this.#member(high > cell ? cell : high);
  }

  /** Returns the last of the consecutive numbers that follow a member. */
  runEnd(member: bigint): bigint {
    const { highs } = this.#list;
    return this.#scale.unit === 1n ? this.#member(highs[firstFrom(highs, member - this.#offset)]) : member;
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

  /** Every set has a first and a last run. */
  #member(cell: number | bigint = 0): bigint {
    return this.#offset + this.#scale.unit * BigInt(cell);
  }
}

/** Returns the largest whole number that is not above the quotient. */
const quotient = (number: bigint, unit: bigint): bigint => {
  const cut = number / unit;
  return cut * unit > number ? cut - 1n : cut;
};

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

/** A list with a number that is added to all its numbers. */
interface Moved extends List {
  readonly by: number;
}

/** A merge of two lists: the place in each, and the merged runs so far. */
interface Merge {
  one: number;
  other: number;
  size: number;
  readonly lows: Cells;
  /** The same cells as `lows` until a run has several numbers. */
  highs: Cells;
}

/** Returns the first cells. Copies them only if there are more: most lists have no runs in common. */
const ofSize = (cells: Cells, size: number): Cells => (cells.length === size ? cells : cells.slice(0, size));

/** Merges this many runs of both lists. A function is twice as fast here as the loop would be in a generator (V8). */
const mergeUpTo = (end: number, merge: Merge, one: Moved, other: Moved): void => {
  let [low, rival] = [lowAt(one, merge.one), lowAt(other, merge.other)];
  while (merge.one + merge.other < end) {
    if (low <= rival) {
      addRun(merge, low, one, merge.one);
      merge.one += 1;
      low = lowAt(one, merge.one);
    } else {
      addRun(merge, rival, other, merge.other);
      merge.other += 1;
      rival = lowAt(other, merge.other);
    }
  }
};

// A number at the end, too, because V8 would allocate each number of a list that may end with undefined.
const lowAt = ({ lows, by }: Moved, index: number): number =>
  index < lows.length ? (lows[index] ?? 0) + by : Number.POSITIVE_INFINITY;

/** Adds a run of a list. It begins no earlier than the last run, and is joined with it if there is no gap between both. */
const addRun = (merge: Merge, low: number, list: Moved, index: number): void => {
  const { lows, highs, size } = merge;
  const end = list.highs[index] ?? 0;
  // Most runs are a single number, which takes its memory once.
  const high = list.highs === list.lows ? low : end + list.by;
  if (size === 0 || low - (highs[size - 1] ?? low) > 1) {
    lows[size] = low;
    merge.size = size + 1;
    setHigh(merge, size, high);
  } else if (high > (highs[size - 1] ?? high)) setHigh(merge, size - 1, high);
};

const setHigh = (merge: Merge, index: number, high: number): void => {
  if (merge.highs === merge.lows) {
    if (merge.lows[index] === high) return;
    merge.highs = merge.lows.slice();
  }
  merge.highs[index] = high;
};
