// Every message about a request says what to send. Where the text of Zod does not, the schema has its own.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes, nameOf } from '../../../scripts/routes-doc.js';
import { RequestErrors } from '../../../src/http/problems/request-errors.js';
import { checkBody, checkParameters } from '../../../src/http/request/checking.js';
import { RequestHeaders } from '../../../src/http/route/requests.js';

const LONG = 'x'.repeat(200_001);
const WRONG = [null, true, -1, 1.5, 1e300, '', 'x', LONG, [], ['x', 'x'], {}, { x: 1 }, [null], [{}]];
// The texts of Zod that name no value that a route accepts.
const VAGUE = /^Invalid (input$|key|element|discriminator|ISO|GUID|string|regex)|must match pattern|expected never/;

/** Returns the messages about wrong values in place of the valid value and of each of its members. */
const messagesOf = (check: (value: unknown, refused: RequestErrors) => void, valid: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const value of variantsOf(valid)) {
    const refused = new RequestErrors();
    check(structuredClone(value), refused);
    for (const { message } of refused.errors) found.add(message);
  }
  return found;
};

const variantsOf = (value: unknown): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return WRONG;
  if (Array.isArray(value)) return [...WRONG, ...variantsOf(value[0]).map((item) => [item]), [value[0], value[0]]];
  const members = Object.entries(value).flatMap(([key, member]) =>
    variantsOf(member).map((variant) => ({ ...value, [key]: variant })),
  );
  return [...WRONG, ...members];
};

/** Returns an object with a value for every member of the schema. */
const everyMember = (schema: z.ZodType): object =>
  'shape' in schema ? Object.fromEntries(Object.keys(schema.shape as object).map((key) => [key, 'x'])) : {};

describe('every message of a route', () => {
  const bodies = allRoutes.flatMap((route) => (route.body === undefined ? [] : [[nameOf(route), route] as const]));
  it.each(bodies)('about the body of %s says what to send', (_, { body = z.unknown(), example }) => {
    const messages = messagesOf((value, refused) => checkBody(body, { value }, refused), example);
    for (const message of messages) expect(message).not.toMatch(VAGUE);
  });

  const queries = allRoutes.flatMap((route) => (route.query === undefined ? [] : [[nameOf(route), route] as const]));
  it.each(queries)('about the query of %s says what to send', (_, { query = z.unknown() }) => {
    const messages = messagesOf(
      (value, refused) => checkParameters(query, { ...(value as object) }, refused),
      everyMember(query),
    );
    expect([...messages]).not.toEqual([]);
    for (const message of messages) expect(message).not.toMatch(VAGUE);
  });

  it('about headers says what to send', () => {
    const check = (value: unknown, refused: RequestErrors) =>
      checkParameters(RequestHeaders, { ...(value as object) }, refused);
    for (const message of messagesOf(check, everyMember(RequestHeaders))) expect(message).not.toMatch(VAGUE);
  });
});

describe('a parameter', () => {
  const faultsOf = (name: string, values: object) => {
    const { query = z.unknown() } = allRoutes.find((route) => route.name === name) ?? {};
    const refused = new RequestErrors();
    checkParameters(query, values, refused);
    return refused.errors;
  };

  it('that is out of bounds gets a message with the bound', () => {
    const tooBig = { parameter: 'version', code: 'too-big', message: expect.stringContaining('999999999') };
    expect(faultsOf('getQuestionnaire', { version: '2147483648' })).toEqual([tooBig]);
    const tooSmall = { parameter: 'limit', code: 'too-small', message: expect.stringContaining('1') };
    expect(faultsOf('listProtocols', { limit: '0' })).toEqual([tooSmall]);
    const none = { parameter: 'limit', code: 'invalid-format', message: expect.stringContaining('1 to 200') };
    expect(faultsOf('listProtocols', { limit: '1.5' })).toEqual([none]);
  });

  it('that is sent twice gets a message that says so', () => {
    const twice = { parameter: 'limit', code: 'invalid-type', message: 'must be sent once' };
    expect(faultsOf('listProtocols', { limit: ['2', '3'] })).toEqual([twice]);
  });
});

describe('an item without a position', () => {
  it('gets a message that says that its position is its place in the list', () => {
    const { body = z.unknown() } = allRoutes.find(({ name }) => name === 'createQuestionnaire') ?? {};
    const refused = new RequestErrors();
    const question = { questionText: 'A', responseType: 'TEXT' };
    const value = {
      institutionId: crypto.randomUUID(),
      name: 'A',
      scoreRanges: [],
      questions: [{ ...question, position: 2 }, question],
    };
    checkBody(body, { value }, refused);
    expect(refused.errors).toEqual([
      {
        pointer: '/questions/1/position',
        code: 'duplicate',
        message: 'must not be the position of a previous item: its place in the list is 2',
      },
    ]);
  });
});

describe('a list that is too long', () => {
  it('gets one error, and its items are not checked', () => {
    const { body = z.unknown(), example } = allRoutes.find(({ name }) => name === 'createDoctor') ?? {};
    const refused = new RequestErrors();
    checkBody(body, { value: { ...(example as object), profiles: Array(3_000).fill(1) } }, refused);
    expect(refused.errors).toMatchObject([{ pointer: '/profiles', code: 'too-big' }]);
  });
});
