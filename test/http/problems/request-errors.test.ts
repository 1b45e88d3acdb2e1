// Lists of errors are short, no matter what a body holds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protocolCommands } from '../../../src/domain/protocol/schemas.js';
import { Problem, problemDocument } from '../../../src/http/problems/problems.js';
import { pointerTo, RequestErrors } from '../../../src/http/problems/request-errors.js';
import { checkBody } from '../../../src/http/request/checking.js';
import { readJson } from '../../../src/http/request/strict-json.js';
import { SignUp } from '../../../src/http/routes/auth/sign-up-schemas.js';
import { shapes } from '../../support/body-shapes.js';

const LONGEST_RESPONSE = 100_000;
const schemas = [protocolCommands.CreateQuestionnaire, protocolCommands.ReplaceQuestionnaire, SignUp];

const faultsIn = (text: string, schema: (typeof schemas)[number]): RequestErrors => {
  const refused = new RequestErrors();
  const json = readJson(Buffer.from(text), refused);
  if (!refused.isCut) checkBody(schema, json, refused);
  return refused;
};

const documentOf = (refused: RequestErrors) => problemDocument(new Problem('fields-refused', refused), 'id', false);

const expectShort = (refused: RequestErrors): void => {
  expect(refused.errors.length).toBeLessThanOrEqual(100);
  expect(Buffer.byteLength(documentOf(refused))).toBeLessThan(LONGEST_RESPONSE);
};

describe('the response to a body', () => {
  it.each(Object.keys(shapes))('that is designed to exhaust the service is short: %s', (name) => {
    const text = shapes[name]?.(262_144) ?? '';
    const isJson = name !== 'nothing but open brackets';
    for (const schema of schemas) {
      if (isJson) expectShort(faultsIn(text, schema));
      else expect(() => faultsIn(text, schema)).toThrow(Problem);
    }
  });

  it('of any shape is short', () => {
    const key = fc.oneof(
      fc.constantFrom('questions', 'options', 'profiles', '__proto__', 'a'),
      fc.string({ unit: 'binary' }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, '\u0001', '\ud800', 1, Number.MAX_VALUE, {}, []),
        fc.array(tie('value'), { maxLength: 40 }),
        fc.dictionary(key, tie('value'), { maxKeys: 40 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(...schemas), fc.nat(40), (body, schema, times) => {
        const text = JSON.stringify({ questions: Array(times).fill(body), body });
        expectShort(faultsIn(text, schema));
      }),
    );
  });
});

describe('a list of errors', () => {
  const withFaults = (count: number, path: (n: number) => (string | number)[]): RequestErrors => {
    const refused = new RequestErrors();
    for (let n = 0; n < count; n += 1) refused.inBody(path(n), 'blank', 'is blank');
    return refused;
  };

  it('of 100 is complete and does not claim to be cut', () => {
    const refused = withFaults(100, (n) => [n]);
    expect([refused.errors.length, refused.isCut]).toEqual([100, false]);
    expect(JSON.parse(documentOf(refused))).not.toHaveProperty('errorsTruncated');
  });

  it('of more than 100 is cut and says so', () => {
    const refused = withFaults(101, (n) => [n]);
    expect([refused.errors.length, refused.isCut]).toEqual([100, true]);
    expect(JSON.parse(documentOf(refused))).toMatchObject({ errorsTruncated: true });
  });

  it('has only the first error for each place', () => {
    const refused = withFaults(3, () => ['a']);
    refused.inBody(['a'], 'too-big', 'is too big');
    expect(refused.errors).toEqual([{ pointer: '/a', code: 'blank', message: 'is blank' }]);
    expect(refused.isCut).toBe(false);
  });

  it('has the faults of parameters, and none more after it is cut', () => {
    const refused = withFaults(99, (n) => [n]);
    for (const name of ['limit', 'cursor', 'sort']) refused.inParameter(name, 'too-big', 'is too big');
    refused.inBody([0], 'blank', 'is blank');
    expect(refused.isCut).toBe(true);
    expect(refused.errors.slice(99)).toEqual([{ parameter: 'limit', code: 'too-big', message: 'is too big' }]);
  });

  it('has a short message for a long one', () => {
    const refused = new RequestErrors();
    refused.inParameter('p'.repeat(10_000), 'unknown-parameter', 'm'.repeat(10_000));
    expect(JSON.stringify(refused.errors).length).toBeLessThan(1_000);
  });
});

describe('a pointer', () => {
  it.each([
    [[], ''],
    [['a', 0, ''], '/a/0/'],
    [['a/b', '~1'], '/a~1b/~01'],
    [['x'.repeat(511)], `/${'x'.repeat(511)}`],
    [['x'.repeat(512)], `/${'x'.repeat(510)}…`],
    [['x'.repeat(400_000), 'y'], `/${'x'.repeat(510)}…`],
    [Array<number>(300).fill(0), `${'/0'.repeat(255)}/…`],
    [['x'.repeat(509), '😀'], `/${'x'.repeat(509)}/…`],
    [['a\ud800'], '/a\ufffd'],
  ])('to %j', (path, pointer) => {
    expect(pointerTo(path)).toBe(pointer);
  });
});
