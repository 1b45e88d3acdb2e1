import { describe, expect, it } from 'vitest';
import { boundKindOf, Metadata, SentMetadata } from '../../../src/domain/protocol/metadata.js';
import { uuidOf } from '../../support/specification.js';
import { upTo } from '../support/protocol-samples.js';

describe('metadata', () => {
  const issues = (metadata: unknown) => SentMetadata.safeParse(metadata).error?.issues;
  const faults = (metadata: unknown) => issues(metadata)?.map(({ path }) => path.join('/'));

  it('is an open object', () =>
    expect(Metadata.parse({ anything: [{ goes: true }] })).toStrictEqual({ anything: [{ goes: true }] }));
  it.each([null, [], 'x', 'x'.repeat(201), 3, undefined])('may not be %o', (value) =>
    expect(faults(value)).toEqual(['']),
  );
  it('may have null under a known key', () =>
    expect(faults({ minValue: null, maxValue: null, minLength: null, maxLength: null, dateFormat: null })).toBe(
      undefined,
    ));
  it.each([
    { minValue: true, maxValue: Number.NaN, minLength: -1, maxLength: 0.5, dateFormat: 'd'.repeat(101) },
    { minLength: 0.5, maxLength: -1, dateFormat: '' },
    { dateFormat: 1 },
    { minValue: '9', maxValue: '5' },
  ])('must have valid values under known keys: %o', (value) => expect(faults(value)).toEqual(Object.keys(value)));
  it('must have bounds in one of their formats', () =>
    expect(issues({ minValue: '9' })).toMatchObject([{ path: ['minValue'], params: { code: 'invalid-format' } }]));
  it('may have at most 200 keys, which is reported together with other faults', () => {
    const keys = (count: number) => Object.fromEntries(upTo(count).map((n) => [uuidOf(n), n]));
    expect(faults(keys(200))).toBeUndefined();
    expect(issues(keys(201))).toMatchObject([{ path: [], params: { code: 'too-big' } }]);
    expect(faults({ ...keys(201), minValue: [] })?.toSorted()).toEqual(['', 'minValue']);
  });
});

describe('a bound', () => {
  it.each<[unknown, unknown]>([
    [100, 5],
    ['2024-02-29', '2023-12-31'],
    ['2024-02-29T12:00:00-03:00', '2024-02-29T13:00:00Z'],
    ['2024-02-29T12:00-0300', '2024-02-29t13:00z'],
    ['2024-02-29t12:00:00.5-03', '2024-02-29T15:00:00.25Z'],
  ])('may be equal to the other bound or below it, but not above it: %j', (high, low) => {
    const isAccepted = (minValue: unknown, maxValue: unknown) => SentMetadata.safeParse({ minValue, maxValue }).success;
    expect([isAccepted(low, high), isAccepted(low, low), isAccepted(high, low)]).toEqual([true, true, false]);
    expect(Metadata.safeParse({ minValue: high, maxValue: low }).success).toBe(true);
  });
  it.each([
    ['number', 0],
    ['number', -1.5],
    ['date', '2024-02-29'],
    ['date', '0001-01-01'],
    ['instant', '2024-02-29T23:59:59Z'],
    ['instant', '2024-02-29T00:00:00.123456-03:00'],
    ['instant', '2024-02-29T23:59Z'],
    ['instant', '2024-02-29t23:59:59z'],
    ['instant', '2024-02-29T23:59+0530'],
    ['instant', `2024-02-29T00:00:00.${'0'.repeat(19)}Z`],
  ])('is a %s: %o', (kind, sent) => expect(boundKindOf(sent)).toBe(kind));
  it.each([
    '',
    '5',
    '2023-02-29',
    '2024-2-9',
    '29/02/2024',
    '2024-02-29T00:00:00',
    ' 2024-02-29',
    `2024-02-29T00:00:00.${'0'.repeat(20)}Z`,
    null,
    {},
  ])('is nothing else: %o', (sent) => expect(boundKindOf(sent)).toBeUndefined());
});
