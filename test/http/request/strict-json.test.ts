// Numbers that a double would change are refused. Whole numbers are often identifiers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestErrors } from '../../../src/http/problems/request-errors.js';
import { readJson } from '../../../src/http/request/strict-json.js';
import { expectTurns } from '../../support/event-loop.js';

const faultsOf = (text: string) => {
  const refused = new RequestErrors();
  const { value } = readJson(Buffer.from(text), refused);
  return { value, faults: refused.errors.map((error) => `${'pointer' in error ? error.pointer : ''} ${error.code}`) };
};

describe('an integer in a body', () => {
  it.each([
    ...['9007199254740993', '-9007199254740993', '999000021000000109', '12345678901234567', '90071992547409931'],
    ...['590295810358705651712', '100000000000000000000001', `1${'0'.repeat(300)}1`],
  ])('is refused if its double has other digits: %s', (literal) =>
    expect(faultsOf(`{"a":{"b":[0, ${literal} ]}}`).faults).toEqual(['/a/b/1 inexact-number']),
  );
  it.each([
    ...['9007199254740992', '-9007199254740992', '1234567890123456', '0', '-0', '999000021000000100'],
    ...['590295810358705700000', '1000000000000000000000', '-1000000000000000000000000', `1${'0'.repeat(300)}`],
  ])('is accepted if its double has the same digits: %s', (literal) =>
    expect(faultsOf(`[${literal}]`)).toEqual({ value: [Number(literal)], faults: [] }),
  );
  it.each([
    '9007199254740993.0',
    '9007199254740993e0',
    '900719925474099.3E1',
    '12345678901234567000e-3',
    '-9007199254740993.000',
  ])('is refused in any notation: %s', (literal) =>
    expect(faultsOf(`[${literal}]`).faults).toEqual(['/0 inexact-number']),
  );
  it.each(['1e23', '1e300', '123e20', '1.5e1', '10.00e-1', '9007199254740992.0', '0e9', '-0.0', '0.0e-999', '1E+2'])(
    'is accepted in any notation: %s',
    (literal) => expect(faultsOf(literal)).toEqual({ value: Number(literal), faults: [] }),
  );
  it.each(['{"9007199254740993":"9007199254740993"}', String.raw`"\"9007199254740993\\"`, '"12345678901234567,\\""'])(
    'is not looked for in texts: %s',
    (text) => expect(faultsOf(text)).toEqual({ value: JSON.parse(text), faults: [] }),
  );
  it('is found among texts that look like it, each with its pointer', () => {
    const text = String.raw`{"\"1":"\\","9007199254740993":9007199254740993,"a/b":["9007199254740993",-12345678901234567]}`;
    expect(faultsOf(text).faults).toEqual(['/9007199254740993 inexact-number', '/a~1b/1 inexact-number']);
  });
  it('that JavaScript printed is never refused', () =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const literal = JSON.stringify(double);
        expect(faultsOf(literal)).toEqual({ value: Number(literal), faults: [] });
      }),
    ));
  it('is refused if and only if JavaScript prints other digits', () =>
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (integer) => {
        const isExact = String(Number(integer)) === String(integer);
        expect(faultsOf(`[${integer}]`).faults).toEqual(isExact ? [] : ['/0 inexact-number']);
      }),
    ));
});

describe('a number with a fraction', () => {
  it.each(['0.1000000000000000055511151231257827', '1.00000000000000001', '9007199254740992.5', '5e-324', '2.5e-320'])(
    'is accepted if its double is near: %s',
    (literal) => expect(faultsOf(literal)).toEqual({ value: Number(literal), faults: [] }),
  );
  it.each(['1e-400', '-1e-99999999999999999999', `0.${'0'.repeat(400)}1`, '3e-324', '1.23456789e-320', '0.0001e-330'])(
    'is refused if its double is far from it: %s',
    (literal) => expect(faultsOf(`{"a":${literal}}`).faults).toEqual(['/a inexact-number']),
  );
});

it.each([
  ['zeros in the middle of a fraction', `1.${'0'.repeat(60_000)}1`],
  ['zeros in the middle of a whole number', `1${'0'.repeat(60_000)}1e-60000`],
  ['zeros at the beginning', `0.${'0'.repeat(200)}${'1'.repeat(60_000)}`],
  ['digits and an exponent', `${'9'.repeat(60_000)}e-59990`],
  ['a number below the usual ones', `1${'0'.repeat(60_000)}7e-60315`],
])('a number with many %s is checked in a time that its length justifies', async (_, number) => {
  const numbers = Array(16).fill(number).join(',');
  await expectTurns(async () => void faultsOf(`[${numbers}]`));
});

describe('a body', () => {
  const rows: readonly (readonly [what: string, text: string, faults: readonly string[]])[] = [
    ['with half of a surrogate pair', String.raw`{"a":["\ud800"]}`, ['/a/0 lone-surrogate']],
    ['with half of a surrogate pair in a name', String.raw`{"\udc00":1}`, ['/\ufffd lone-surrogate']],
    ['with a control character', String.raw`{"a":"x\u0000"}`, ['/a control-character']],
    ['with the member __proto__', '{"a":{"__proto__":1}}', ['/a/__proto__ key-not-allowed']],
    ['with the same member, escaped', String.raw`{"a":{"\u005f_proto__":1}}`, ['/a/__proto__ key-not-allowed']],
    ['with a number that a later member replaces', '{"a":9007199254740993,"a":1}', []],
    ['with a number beyond a double', '{"a":[1e400,-1e400]}', ['/a/0 not-finite', '/a/1 not-finite']],
    ['with null, true and empty containers', '{"a":[null,true,{},[]]}', []],
  ];
  it.each(rows)('%s has the faults %j', (_, text, faults) => expect(faultsOf(text).faults).toEqual(faults));

  it('that is too deep is refused at the deepest container, and its values are not inspected further', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(faultsOf(nested(100)).faults).toEqual([]);
    expect(faultsOf(nested(130)).faults).toEqual([`${'/0'.repeat(100)} too-deep`]);
  });

  it('has a size: how many values it has', () => {
    const sizeOf = (text: string) => readJson(Buffer.from(text), new RequestErrors()).size;
    expect(['1', '[1,2]', '{"a,[":[1,{"b\\",{":null}]}'].map(sizeOf)).toEqual([1, 3, 5]);
  });

  it('is inspected only until the list of faults is full', () => {
    const refused = new RequestErrors();
    readJson(Buffer.from(`[${Array(10_000).fill('1e400').join(',')}]`), refused);
    expect([refused.isCut, refused.errors.length]).toEqual([true, 100]);
  });

  it.each([
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'must be UTF-8'],
    [
      'is not JSON',
      Buffer.from('{"a":1 "b"}'),
      expect.stringMatching(/^must be JSON: something is wrong at position 7/),
    ],
  ])('that %s says so', (_, bytes, message) => {
    let problem: unknown;
    try {
      readJson(bytes, new RequestErrors());
    } catch (error) {
      problem = error;
    }
    const errors = [{ pointer: '', code: 'malformed-json', message }];
    expect(problem).toMatchObject({ code: 'malformed-json', errors });
  });
});
