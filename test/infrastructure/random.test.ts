import { describe, expect, it } from 'vitest';
import { randomPiece } from '../../src/infrastructure/random.js';

describe('pieces of random bytes', () => {
  it('have the length that was asked for, also beyond the pool', () => {
    for (const length of [0, 1, 12, 16, 2_048, 5_000]) expect(randomPiece(length)).toHaveLength(length);
  });

  it('share no byte of memory and never repeat', () => {
    const pieces = Array.from({ length: 1_000 }, (_, n) => randomPiece(n % 2 ? 12 : 16));
    expect(new Set(pieces.map((piece) => piece.toString('hex'))).size).toBe(pieces.length);
    const before = pieces.map((piece) => piece.toString('hex'));
    pieces[0]?.fill(0);
    expect(pieces.slice(1).map((piece) => piece.toString('hex'))).toEqual(before.slice(1));
  });
});
