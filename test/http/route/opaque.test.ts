import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Opaque } from '../../../src/http/route/opaque.js';

const opaqueOf = (secret: string) => new Opaque(createSecretKey(Buffer.alloc(32, secret)));
const opaque = opaqueOf('a key');
const POSITION = '0000000000000042';
const sealed = opaque.seal('cursor', POSITION);

describe('a sealed position', () => {
  it('is the same, and opens, in every process that has the key', () => {
    expect(opaqueOf('a key').open('cursor', sealed)).toBe(POSITION);
    expect(opaqueOf('a key').seal('cursor', POSITION)).toBe(sealed);
  });

  it('shares nothing with the next position', () => {
    const positions = Array.from({ length: 100 }, (_, n) => opaque.seal('cursor', `${n}`.padStart(16, '0')));
    expect(new Set(positions.map((each) => each.slice(0, 8))).size).toBe(100);
    expect(new Set(positions.map((each) => each.slice(-8))).size).toBe(100);
    expect(new Set(positions.map(({ length }) => length)).size).toBe(1);
  });

  it('opens only as its own kind and with its own key', () => {
    expect(opaque.open('consistency-token', sealed)).toBeUndefined();
    expect(opaque.seal('consistency-token', POSITION)).not.toBe(sealed);
    expect(opaqueOf('another').open('cursor', sealed)).toBeUndefined();
  });

  it('does not open if any character is changed, cut off or added', () => {
    for (const [n, character] of [...sealed].entries()) {
      const other = character === 'A' ? 'B' : 'A';
      expect(opaque.open('cursor', `${sealed.slice(0, n)}${other}${sealed.slice(n + 1)}`)).toBeUndefined();
      expect(opaque.open('cursor', sealed.slice(0, n))).toBeUndefined();
    }
    for (const more of ['A', '=', '!', ' ', 'A'.repeat(1_000)]) {
      expect(opaque.open('cursor', sealed + more)).toBeUndefined();
    }
  });

  it('opens if another version of the program sealed it', () => {
    expect(opaque.open('cursor', 'knl4KsAoYRH3rodOG6O3K301eKqkdK6hJTrLFrtK_1M')).toBe(POSITION);
  });

  it('opens if it has content, and at most 200 characters', () => {
    const longest = 'x'.repeat(134);
    const opened = ['', longest, `${longest}x`].map((text) => opaque.open('cursor', opaque.seal('cursor', text)));
    expect(opened).toEqual([undefined, longest, undefined]);
  });
});
