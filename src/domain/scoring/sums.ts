// A set of sums, which are exact whole numbers of any size, as sorted runs in steps of one unit.

/** What a step of long work took: the additions since the step before, and the memory that it took or released, in runs. */
export interface Step {
  readonly added: number;
  readonly held: number;
}

/** Long work in steps. A step makes at most `LONGEST_STEP` additions. */
export type Steps<R> = Generator<Step, R, void>;

export const LONGEST_STEP = 4_096;

/** Whole numbers. Bigints stand for large ones: what is done with cells has the same result. */
type Cells = Float64Array | number[];

/** How lists keep their numbers. Small ones take less time and memory. */
interface Kind {
  readonly cells: (size: number) => Cells;
  readonly cell: (number: number | bigint) => number;
  /** What a run counts in the additions and the memory of a step. */
  readonly cost: number;
}

const NUMBERS: Kind = { cells: (size) => new Float64Array(size), cell: Number, cost: 1 / 2 };

/** Returns how to keep numbers up to a largest one. */
const kindFor = (largest: bigint): Kind => {
  if (largest <= Number.MAX_SAFE_INTEGER) return NUMBERS;
  const bits = largest.toString(2).length;
  const cells = (size: number) => (bits < 64 ? new BigInt64Array(size) : new Array<bigint>(size).fill(0n));
  const large = { cells, cell: BigInt, cost: bits < 64 ? 1 : 4 + Math.ceil(bits / 64) };
  return large as unknown as Kind;
};

/** Runs of neighbouring numbers, sorted, with gaps between them. */
interface List {
  readonly lows: Cells;
  /** The same cells as `lows` if each run is a single number. */
  readonly highs: Cells;
}

/** A set with at least one member. Each member is the smallest one and a number of units, which the list has. */
export class Sums {
  readonly #list: List;
  readonly min: bigint;
  /** The common divisor of all differences of members; 0 if there is a single member. */
  readonly #unit: bigint;
  readonly #kind: Kind;
  /** The memory of the set; 0 if it shares the memory of another set. */
  readonly cost: number;

  private constructor(list: List, { min, unit, kind }: { min: bigint; unit: bigint; kind: Kind }, cost = 0) {
    this.#list = list;
    this.min = min;
    this.#unit = unit;
    this.#kind = kind;
    this.cost = cost;
  }

  /** Returns the set of one member. */
  static of(member: bigint): Sums {
    return new Sums(SINGLE, { min: member, unit: 0n, kind: NUMBERS });
  }

  get max(): bigint {
    return this.#member(this.#list.highs.at(-1));
  }

  /** Returns the set with a number added to each member. It shares the memory of this set. */
  shifted(by: bigint): Sums {
    return new Sums(this.#list, { min: this.min + by, unit: this.#unit, kind: this.#kind });
  }

  /** Returns the union of both sets, and releases their memory. */
  *union(other: Sums): Steps<Sums> {
    const [low, high] = this.min <= other.min ? [this, other] : [other, this];
    const distance = high.min - low.min;
    const unit = commonDivisor(commonDivisor(distance, low.#unit), high.#unit);
    const top = low.max > high.max ? low.max : high.max;
    const kind = kindFor(unit && (top - low.min) / unit);
    const one = yield* low.#inUnits(unit, kind);
    const two = yield* high.#inUnits(unit, kind);
    const merge = mergeOf(kind.cells(one.lows.length + two.lows.length));
    const by = kind.cell(unit && distance / unit);
    let cost = 0;
    for (let done = 0; done < merge.lows.length; ) {
      const more = Math.min(merge.lows.length - done, Math.floor(LONGEST_STEP / kind.cost));
      done += more;
      mergeUpTo(done, merge, { ...one, by: kind.cell(0) }, { ...two, by });
      const held = merge.size * kind.cost - cost;
      cost += held;
      yield { added: more * kind.cost, held };
    }
    yield { added: 0, held: -this.cost - other.cost - one.held - two.held };
    const lows = ofSize(merge.lows, merge.size);
    const highs = merge.highs === merge.lows ? lows : ofSize(merge.highs, merge.size);
    return new Sums({ lows, highs }, { min: low.min, unit, kind }, cost);
  }

  /** Returns the smallest member that is not below `from`. */
  next(from: bigint): bigint | undefined {
    const { lows, highs } = this.#list;
    const cell = -quotient(this.min - from, this.#unit);
    const low = lows[firstFrom(highs, cell)];
    return low === undefined ? undefined : this.#member(low < cell ? cell : low);
  }

  /** Returns the largest member that is not above `to`. */
  previous(to: bigint): bigint | undefined {
    const { lows, highs } = this.#list;
    const cell = quotient(to - this.min, this.#unit);
    const high = highs[firstFrom(lows, cell + 1n) - 1];
    return high === undefined ? undefined : this.#member(high > cell ? cell : high);
  }

  /** Returns the last of the consecutive numbers that follow a member. */
  runEnd(member: bigint): bigint {
    const { highs } = this.#list;
    return this.#unit === 1n ? this.#member(highs[firstFrom(highs, member - this.min)]) : member;
  }

  *count(): Steps<number> {
    const { lows, highs } = this.#list;
    let count = 0;
    for (const [index, low] of lows.entries()) {
      count += Number((highs[index] ?? low) - low) + 1;
      if (index % LONGEST_STEP === LONGEST_STEP - 1) yield { added: LONGEST_STEP, held: 0 };
    }
    return count;
  }

  /** Returns the list in another kind or a finer unit, and the memory that this takes. */
  *#inUnits(unit: bigint, kind: Kind): Steps<List & { readonly held: number }> {
    const isSame = this.#unit === unit;
    if (isSame && this.#kind.cost === kind.cost) return { ...this.#list, held: 0 };
    const size = isSame ? this.#list.lows.length : yield* this.count();
    // Known before the memory is taken, because a single run can have any number of members.
    const held = size * kind.cost;
    yield { added: 0, held };
    const made = mergeOf(kind.cells(size));
    for (const [low, high] of piecesOf(this.#list, kind, isSame ? undefined : this.#unit / unit)) {
      addRun(made, low, high);
      if (made.size % LONGEST_STEP === 0) yield { added: LONGEST_STEP, held: 0 };
    }
    return { lows: made.lows, highs: made.highs, held };
  }

  /** Every set has a first and a last run. */
  #member(cell: number | bigint = 0): bigint {
    return this.min + this.#unit * BigInt(cell);
  }
}

/** Returns the largest whole number that is not above the quotient. */
const quotient = (number: bigint, unit: bigint): bigint => {
  const divisor = unit || 1n;
  const cut = number / divisor;
  return cut * divisor > number ? cut - 1n : cut;
};

export const commonDivisor = (a: bigint, b: bigint): bigint => {
  let [one, other] = [a, b];
  while (other !== 0n) [one, other] = [other, one % other];
  return one < 0n ? -one : one;
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

/** Returns the ends of each run in another kind. With a factor, each number is a run and is multiplied by it. */
function* piecesOf(
  { lows, highs }: List,
  kind: Kind,
  factor?: bigint,
): Generator<readonly [low: number, high: number]> {
  const [times, one] = [kind.cell(factor ?? 1), kind.cell(1)];
  for (const [index, cell] of lows.entries()) {
    const [low, high] = [kind.cell(cell), kind.cell(highs[index] ?? cell)];
    if (factor === undefined) yield [low, high];
    else for (let each = low; each <= high; each += one) yield [each * times, each * times];
  }
}

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

const mergeOf = (cells: Cells): Merge => ({ one: 0, other: 0, size: 0, lows: cells, highs: cells });

/** Returns the first cells. Copies them only if there are more: most lists have no runs in common. */
const ofSize = (cells: Cells, size: number): Cells => (cells.length === size ? cells : cells.slice(0, size));

/** Merges this many runs of both lists. A function is twice as fast here as the loop would be in a generator (V8). */
const mergeUpTo = (end: number, merge: Merge, one: Moved, other: Moved): void => {
  let [low, rival] = [lowAt(one, merge.one), lowAt(other, merge.other)];
  while (merge.one + merge.other < end) {
    if (low <= rival) {
      addRun(merge, low, highAt(one, merge.one, low));
      merge.one += 1;
      low = lowAt(one, merge.one);
    } else {
      addRun(merge, rival, highAt(other, merge.other, rival));
      merge.other += 1;
      rival = lowAt(other, merge.other);
    }
  }
};

// A number at the end, too, because V8 would allocate each number of a list that may end with undefined.
const lowAt = ({ lows, by }: Moved, index: number): number =>
  index < lows.length ? (lows[index] ?? 0) + by : Number.POSITIVE_INFINITY;

// Most runs are a single number, which takes its memory once.
const highAt = ({ lows, highs, by }: Moved, index: number, low: number): number =>
  highs === lows ? low : (highs[index] ?? 0) + by;

/** Adds a run. It begins no earlier than the last run, and is joined with it if there is no gap between both. */
const addRun = (merge: Merge, low: number, high: number): void => {
  const { lows, highs, size } = merge;
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

const SINGLE: List = mergeOf(NUMBERS.cells(1));
