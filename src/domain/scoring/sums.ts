// A set of sums, which are exact whole numbers of any size, as sorted runs in steps of one unit.

/** What a step of long work took: the additions since the step before, and the memory that it took or released, in runs. */
export interface Step {
  readonly added: number;
  readonly held: number;
}

/** Long work in steps. A step makes at most `LONGEST_STEP` additions. */
export type Steps<R> = Generator<Step, R, void>;

export const LONGEST_STEP = 4_096;

/**
 * The first and the last number of each run of neighbouring numbers, sorted, with gaps between the runs. Bigints stand for
 * large numbers: what is done with cells has the same result.
 */
type Cells = Float64Array | number[];

/** How to keep numbers. Small ones take less time and memory. */
interface Kind {
  readonly cells: (size: number) => Cells;
  readonly cell: (number: number | bigint) => number;
  /** What a run counts in the additions and the memory of a step. */
  readonly cost: number;
}

const NUMBERS: Kind = { cells: (size) => new Float64Array(size), cell: Number, cost: 1 };

/** Returns how to keep numbers up to a largest one. */
const kindFor = (largest: bigint): Kind => {
  if (largest <= Number.MAX_SAFE_INTEGER) return NUMBERS;
  const bits = largest.toString(2).length;
  const cells = (size: number) => (bits < 64 ? new BigInt64Array(size) : new Array<bigint>(size).fill(0n));
  return { cells, cell: BigInt, cost: bits < 64 ? 1 : 4 + Math.ceil(bits / 64) } as unknown as Kind;
};

/** Where the members of a set are. Each is the smallest one and a number of units. */
interface Place {
  readonly min: bigint;
  readonly max: bigint;
  /** The common divisor of all differences of members; 0 if there is a single member. */
  readonly unit: bigint;
  readonly kind: Kind;
}

/** Returns the place of the union of two sets, of which the first one begins no later. */
const placeOfBoth = (low: Place, high: Place): Place => {
  const unit = commonDivisor(commonDivisor(low.unit, high.unit), high.min - low.min);
  const max = low.max > high.max ? low.max : high.max;
  return { min: low.min, max, unit, kind: kindFor(quotient(max - low.min, unit)) };
};

/** A set with at least one member. */
export class Sums {
  readonly min: bigint;
  readonly max: bigint;
  readonly #cells: Cells;
  readonly #place: Place;
  /** The memory of the set; 0 if it shares the memory of another set. */
  readonly cost: number;

  private constructor(cells: Cells, place: Place, cost = 0) {
    this.min = place.min;
    this.max = place.max;
    this.#cells = cells;
    this.#place = place;
    this.cost = cost;
  }

  /** Returns the set of one member. */
  static of(member: bigint): Sums {
    return new Sums(NUMBERS.cells(2), { min: member, max: member, unit: 0n, kind: NUMBERS });
  }

  /** Returns the set with a number added to each member. It shares the memory of this set. */
  shifted(by: bigint): Sums {
    const { min, max, unit, kind } = this.#place;
    return new Sums(this.#cells, { min: min + by, max: max + by, unit, kind });
  }

  /** Returns the union of both sets, and releases their memory. */
  *union(other: Sums): Steps<Sums> {
    const [low, high] = this.min <= other.min ? [this, other] : [other, this];
    const place = placeOfBoth(low.#place, high.#place);
    const { cells, cell, cost } = place.kind;
    const one = low.#fits(place) ? low : yield* low.#movedTo(place);
    const two = high.#fits(place) ? high : yield* high.#movedTo(place);
    const moved = { cells: two.#cells, by: cell(quotient(high.min - low.min, place.unit)) };
    const union: Union = { one: 0, other: 0, size: 0, cells: cells(one.#cells.length + two.#cells.length) };
    const most = 2 * Math.floor(LONGEST_STEP / cost);
    for (let [done, size] = [0, 0]; done < union.cells.length; size = union.size) {
      const end = Math.min(union.cells.length, done + most);
      mergeUpTo(end, union, { cells: one.#cells, by: cell(0) }, moved);
      const released = end < union.cells.length ? 0 : one.cost + two.cost;
      yield { added: ((end - done) / 2) * cost, held: ((union.size - size) / 2) * cost - released };
      done = end;
    }
    return new Sums(usedIn(union), place, (union.size / 2) * cost);
  }

  /** Returns the smallest member that is not below `from`. */
  next(from: bigint): bigint | undefined {
    const cell = -quotient(this.min - from, this.#place.unit);
    const low = this.#cells[this.#runTo(cell)];
    return low === undefined ? undefined : this.#member(low < cell ? cell : low);
  }

  /** Returns the largest member that is not above `to`. */
  previous(to: bigint): bigint | undefined {
    const cell = quotient(to - this.min, this.#place.unit);
    const at = this.#runTo(cell);
    // The run that ends there or later may begin later.
    const low = this.#cells[at] ?? cell + 1n;
    return low <= cell ? this.#member(cell) : at === 0 ? undefined : this.#member(this.#cells[at - 1]);
  }

  /** Returns the last of the consecutive numbers that follow a member. */
  runEnd(member: bigint): bigint {
    return this.#place.unit === 1n ? this.#member(this.#cells[this.#runTo(member - this.min) + 1]) : member;
  }

  *count(): Steps<number> {
    let count = 0;
    for (let at = 0; at < this.#cells.length; at += 2) {
      count += Number((this.#cells[at + 1] ?? 0) - (this.#cells[at] ?? 0)) + 1;
      if (at % (2 * LONGEST_STEP) === 2 * LONGEST_STEP - 2) yield { added: LONGEST_STEP, held: 0 };
    }
    return count;
  }

  /** Returns whether the cells are the same in another place. A single member is the number 0 in every unit. */
  #fits({ unit, kind }: Place): boolean {
    return (this.#place.unit || unit) === unit && this.#place.kind.cell === kind.cell;
  }

  /** Returns the same set with another kind or a finer unit, and releases the memory of this one. */
  *#movedTo({ unit, kind }: Place): Steps<Sums> {
    const isSplit = unit !== this.#place.unit;
    const runs = isSplit ? yield* this.count() : this.#cells.length / 2;
    // Before the memory is taken, because a run may have any number of members.
    yield { added: 0, held: runs * kind.cost - this.cost };
    const [cells, factor] = [kind.cells(2 * runs), kind.cell(quotient(this.#place.unit, unit))];
    let size = 0;
    for (const end of isSplit ? splitEndsOf(this.#cells, this.#place.kind) : this.#cells) {
      cells[size] = kind.cell(end) * factor;
      size += 1;
      if (size % LONGEST_STEP === 0) yield { added: LONGEST_STEP / 2, held: 0 };
    }
    return new Sums(cells, { ...this.#place, unit, kind }, runs * kind.cost);
  }

  /** Returns where the first run begins in the cells that has no end below a number. */
  #runTo(cell: bigint): number {
    return 2 * firstIndex(this.#cells.length / 2, (index) => (this.#cells[2 * index + 1] ?? cell) >= cell);
  }

  #member(cell: number | bigint = 0): bigint {
    return this.min + this.#place.unit * BigInt(cell);
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

/** Returns the ends of runs of a single number each. */
function* splitEndsOf(cells: Cells, { cell }: Kind): Generator<number> {
  for (let at = 0; at < cells.length; at += 2) {
    for (let each = cells[at] ?? 0; each <= (cells[at + 1] ?? 0); each += cell(1)) {
      yield each;
      yield each;
    }
  }
}

/** Cells, and what is added to each of their numbers. */
interface Moved {
  readonly cells: Cells;
  readonly by: number;
}

/** A union of two lists: the place in each, and the cells so far. */
interface Union {
  one: number;
  other: number;
  size: number;
  readonly cells: Cells;
}

/** Returns the cells. Copies them only if there are more: most lists have no runs in common. */
const usedIn = ({ cells, size }: Union): Cells => (cells.length === size ? cells : cells.slice(0, size));

/** Merges up to so many cells of both lists. A function is twice as fast here as the loop would be in a generator (V8). */
const mergeUpTo = (end: number, union: Union, one: Moved, other: Moved): void => {
  let [low, rival] = [numberAt(one, union.one), numberAt(other, union.other)];
  while (union.one + union.other < end) {
    if (low <= rival) {
      addRun(union, low, numberAt(one, union.one + 1));
      union.one += 2;
      low = numberAt(one, union.one);
    } else {
      addRun(union, rival, numberAt(other, union.other + 1));
      union.other += 2;
      rival = numberAt(other, union.other);
    }
  }
};

// A number at the end, too, because V8 would allocate each number of a list that may end with undefined.
const numberAt = ({ cells, by }: Moved, index: number): number =>
  index < cells.length ? (cells[index] ?? 0) + by : Number.POSITIVE_INFINITY;

/** Adds a run. It begins no earlier than the last run, and is joined with it if there is no gap between both. */
const addRun = (union: Union, low: number, high: number): void => {
  const { cells, size } = union;
  const last = cells[size - 1] ?? low;
  if (size > 0 && low - last <= 1) {
    if (high > last) cells[size - 1] = high;
    return;
  }
  cells[size] = low;
  cells[size + 1] = high;
  union.size += 2;
};
