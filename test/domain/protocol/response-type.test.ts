import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ALLOWS_OPTIONS,
  fitsType,
  inferResponseType,
  RESPONSE_TYPES,
  type ResponseType,
} from '../../../src/domain/protocol/response-type.js';

describe('options', () => {
  it('belong only to BOOLEAN, SELECT and MULTIPLE_SELECT', () =>
    expect(RESPONSE_TYPES.filter((type) => ALLOWS_OPTIONS[type])).toEqual(['BOOLEAN', 'SELECT', 'MULTIPLE_SELECT']));
});

describe('a request that names the response type', () => {
  const request = z.unknown().superRefine(...fitsType);
  const faults = (sent: unknown) => request.safeParse(sent).error?.issues.map(({ path }) => path.join('/')) ?? [];
  const bounds = (minValue: unknown) => ({ minValue, maxValue: minValue });
  const [date, instant] = ['2026-01-31', '2026-01-31T12:00:00Z'];

  it.each(RESPONSE_TYPES)('has only the options and bounds that the type takes: %s', (responseType) => {
    const taken = { DATE: date, DATETIME: instant }[String(responseType)] ?? 1;
    for (const bound of [date, instant, 1]) {
      const refused = bound === taken ? [] : ['metadata/minValue', 'metadata/maxValue'];
      expect(faults({ responseType, metadata: bounds(bound) })).toEqual(refused);
    }
    const refused = ALLOWS_OPTIONS[responseType] ? [] : ['options'];
    expect(faults({ responseType, options: [{}], metadata: {} })).toEqual(refused);
  });

  it.each([
    ...[null, 'TEXT', [], {}, { options: [{}], metadata: bounds(date) }],
    ...[
      { responseType: 'COLOR', options: [{}] },
      { responseType: 'TEXT', options: 'none', metadata: null },
    ],
    ...[
      { responseType: 'TEXT', metadata: 'none' },
      { responseType: 'TEXT', metadata: bounds('soon') },
    ],
  ])('is not judged by this rule if it has another shape: %j', (sent) => expect(faults(sent)).toEqual([]));
});

describe('an inferred response type', () => {
  it.each<[ResponseType, { options?: unknown[]; metadata: Record<string, unknown> }]>([
    ['TEXT', { metadata: {} }],
    ['TEXT', { metadata: { minLength: 1, maxLength: 5 } }],
    ['TEXT', { options: [], metadata: { minValue: null, maxValue: null, dateFormat: null } }],
    ['NUMBER', { metadata: { minValue: 0 } }],
    ['NUMBER', { metadata: { maxValue: -1.5 } }],
    ['DATE', { metadata: { dateFormat: 'yyyy-MM-dd' } }],
    ['DATETIME', { metadata: { dateFormat: 'yyyy-MM-dd HH:mm' } }],
    ['SELECT', { options: [{}], metadata: {} }],
  ])('is %s for %o', (type, sent) => expect(inferResponseType(sent)).toBe(type));

  it('depends on options first, then on the date format, then on bounds', () => {
    const metadata = { dateFormat: 'dd/MM/yyyy', minValue: 1 };
    expect(inferResponseType({ options: [{}], metadata })).toBe('SELECT');
    expect(inferResponseType({ options: [], metadata })).toBe('DATE');
  });
});

describe('a date format', () => {
  const inferred = (dateFormat: string) => inferResponseType({ metadata: { dateFormat } });

  it.each([
    ...['dd/MM/yyyy HH:mm', 'dd/MM/yyyy hh:mm a', 'DD/MM/YYYY HH:mm:ss', "yyyy-MM-dd'T'HH:mm:ssXXX"],
    ...['YYYY-MM-DD[T]HH:mm', 'yyyy-MM-ddTkk:mm', 'K:mm a, d MMM yyyy', 'dd/MM/yyyy mm:ss'],
    ...["dd 'de' MMMM 'às' H'h'mm", '%d/%m/%Y %H:%M', '%Y-%m-%d %-I:%M %p', '%F %T'],
    ...['%d/%m/%y %R', '%D %r', '%x %X', '%c'],
  ])('with a time part makes a DATETIME: %s', (dateFormat) => expect(inferred(dateFormat)).toBe('DATETIME'));

  it.each([
    ...['dd/MM/yyyy', 'dd/mm/yyyy', 'DD/MM/YYYY', 'MMMM yyyy', 'EEEE, d MMM y', "d 'hours of' MMMM"],
    ...['D [Hh] MMMM', '%d/%m/%Y', '%F', '%d %h %y', 'yyyy'],
  ])('without a time part makes a DATE: %s', (dateFormat) => expect(inferred(dateFormat)).toBe('DATE'));
});
