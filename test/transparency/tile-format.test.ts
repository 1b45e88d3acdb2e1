// Tests the vectors of C2SP tlog-tiles, and the paths that C2SP tlog-tiles forbids.
import { describe, expect, it } from 'vitest';
import { entryBundle, parsedTilePath } from '../../src/transparency/tiles.js';

describe('the path of a tile', () => {
  it.each([
    ['000', 0, 256],
    ['067', 67, 256],
    ['999', 999, 256],
    ['x001/000', 1_000, 256],
    ['x001/x234/067', 1_234_067, 256],
    ['x999/999', 999_999, 256],
    ['x001/000.p/1', 1_000, 1],
    ['000.p/255', 0, 255],
    ['x123/x456/x789/x012/345', 123_456_789_012_345, 256],
  ])('%s', (path, index, width) => {
    expect(parsedTilePath(path)).toEqual({ index, width });
  });

  it.each([
    ...['', '0', '00', '0000', '67', 'x067', 'x067/', 'x000/067', 'x000/x001/067', '001/067', 'x01/067', 'X001/067'],
    ...['000.p/0', '000.p/256', '000.p/999', '000.p/01', '000.p', '000.p/', '000.p/1/1', '000.p/-1', '000.p/+1'],
    ...['000.p/1\n', ' 000', '000/', '/000', '-01', '0x1', '٠٠٠', 'x001/x234/x567/x890/x123/456'],
  ])('is never %j', (path) => {
    expect(parsedTilePath(path)).toBeUndefined();
  });
});

describe('an entry bundle', () => {
  it('has the number of bytes before the bytes of each leaf', () => {
    expect(entryBundle(['a', 'né', 'x'.repeat(300)])).toEqual(
      Buffer.concat([Buffer.from('\0\x01a\0\x03né\x01\x2c'), Buffer.from('x'.repeat(300))]),
    );
    expect(entryBundle([])).toEqual(Buffer.of());
  });
});
