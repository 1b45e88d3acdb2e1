import { describe, expect, it } from 'vitest';
import { boundKindOf, Metadata } from '../../../src/domain/protocol/metadata.js';
import { uuidOf } from '../../support/specification.js';
import { upTo } from '../support/protocol-samples.js';

describe('metadata', () => {
  const faults = (metadata: unknown) => Metadata.safeParse(metadata).error?.issues.map(({ path }) => path.join('/'));

  it('is an open object', () =>
    expect(Metadata.parse({ anything: [{ goes: true }] })).toStrictEqual({ anything: [{ goes: true }] }));
  it.each([null, [], 'x', 3, undefined])('may not be %o', (value) => expect(faults(value)).toEqual(['']));
  it('may have null under a known key', () =>
    expect(faults({ minValue: null, maxValue: null, minLength: null, maxLength: null, dateFormat: null })).toBe(
      undefined,
    ));
  it.each([
    { minValue: true, maxValue: Number.NaN, minLength: -1, maxLength: 0.5, dateFormat: 'd'.repeat(101) },
    { minLength: 0.5, maxLength: -1, dateFormat: '' },
    { dateFormat: 1 },
  ])('must have valid values under known keys: %o', (value) => expect(faults(value)).toEqual(Object.keys(value)));
  it('may have at most 200 keys, which is reported together with other faults', () => {
    const keys = (count: number) => Object.fromEntries(upTo(count).map((n) => [uuidOf(n), n]));
    expect(faults(keys(200))).toBeUndefined();
    expect(faults(keys(201))).toEqual(['']);
    expect(faults({ ...keys(201), minValue: [] })?.toSorted()).toEqual(['', 'minValue']);
  });
});

describe('a bound', () => {
  it.each([
    ['number', 0],
    ['number', -1.5],
    ['date', '2024-02-29'],
    ['date', '0001-01-01'],
    ['instant', '2024-02-29T23:59:59Z'],
    ['instant', '2024-02-29T00:00:00.123456-03:00'],
  ])('is a %s: %o', (kind, sent) => expect(boundKindOf(sent)).toBe(kind));
  it.each([
    '',
    '5',
    '2023-02-29',
    '2024-2-9',
    '29/02/2024',
    '2024-02-29T00:00:00',
    ' 2024-02-29',
    `${'1'.repeat(41)}`,
    null,
    {},
  ])('is nothing else: %o', (sent) => expect(boundKindOf(sent)).toBeUndefined());
});
