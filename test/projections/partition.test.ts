import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { isIn, streamHash } from '../../src/projections/partition.js';
import { Random } from '../support/random.js';

/** The name of a stream as the service makes it, at some moment, by chance that repeats itself. */
const streamAt = (random: Random, msecs: number) => {
  const bytes = Uint8Array.from({ length: 16 }, () => random.integer(0, 255));
  return `protocol-${v7({ msecs, random: bytes })}`;
};

describe('the hash of a stream', () => {
  // From the test suite of the authors of FNV.
  it.each([
    { name: '', hash: 0x811c9dc5 },
    { name: 'a', hash: 0xe40c292c },
    { name: 'foobar', hash: 0xbf9cf968 },
  ])('is FNV-1a ("$name")', ({ name, hash }) => expect(streamHash(name)).toBe(hash));

  it('is what it always was', () => {
    const stream = 'protocol-0197f1c2-8d5e-7cc3-98c4-dc0c0c07398f';
    expect(streamHash(stream)).toBe(0x5690ae7d);
    expect([2, 3, 4, 8].map((of) => indexOf(stream, of))).toEqual([1, 1, 1, 5]);
  });
});

const indexOf = (stream: string, of: number) =>
  Array.from({ length: of }, (_, index) => index).find((index) => isIn({ index, of }, stream));

describe('a part', () => {
  const partsOf = (of: number) => Array.from({ length: of }, (_, index) => ({ index, of }));

  it('is everything where there are no parts', () => expect(isIn(undefined, 'protocol-1')).toBe(true));

  it('has every stream that no other has', () => {
    const random = new Random(1);
    for (let of = 1; of <= 64; of += 1) {
      const stream = streamAt(random, 1_700_000_000_000 + of);
      expect(partsOf(of).filter((part) => isIn(part, stream))).toHaveLength(1);
    }
  });

  it.each([
    { of: 2, apartMs: 0 },
    { of: 3, apartMs: 1 },
    { of: 4, apartMs: 0 },
    { of: 4, apartMs: 60_000 },
    { of: 8, apartMs: 1_024 },
    { of: 16, apartMs: 1 },
  ])('has its share of streams named by UUID v7 ($of parts, $apartMs ms apart)', ({ of, apartMs }) => {
    // Six standard deviations of a fair die.
    const share = STREAMS / of;
    const bound = 6 * Math.sqrt(share * (1 - 1 / of));
    for (const seed of [1, 2, 3, 4, 5]) {
      const counts = countsOf(seed, of, apartMs);
      expect(counts).toHaveLength(of);
      for (const count of counts) expect(Math.abs(count - share)).toBeLessThan(bound);
    }
  });
});

const STREAMS = 5_000;

/** How many of so many streams, made so many milliseconds apart, are in each part. */
const countsOf = (seed: number, of: number, apartMs: number): readonly number[] => {
  const random = new Random(seed);
  const counts = new Map<number | undefined, number>();
  for (let n = 0; n < STREAMS; n += 1) {
    const index = indexOf(streamAt(random, 1_700_000_000_000 + n * apartMs), of);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  return [...counts.values()];
};
