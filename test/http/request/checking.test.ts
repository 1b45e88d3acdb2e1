// Every message about a request says in our own words what to send, and completes a sentence that begins with the field.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes, nameOf } from '../../../scripts/routes-doc.js';
import { FieldErrorCode } from '../../../src/domain/errors.js';
import { RequestErrors } from '../../../src/http/problems/request-errors.js';
import { checkBody, checkParameters } from '../../../src/http/request/checking.js';
import { RequestHeaders } from '../../../src/http/route/requests.js';

/** Returns the text of every file of the program. */
const sourceFiles = (): readonly string[] => {
  const root = fileURLToPath(new URL('../../../src', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.map((file) => readFileSync(join(root, file), 'utf8'));
};

const LONG = 'x'.repeat(200_001);
const WRONG = [null, true, -1, 1.5, 1e300, '', 'x', LONG, [], ['x', 'x'], {}, { x: 1 }, [null], [{}]];
const SENTENCE = /^(must|is|cannot|names|belongs) [^:]/;
// Words of Zod, and of messages that name no value that a route accepts.
const VAGUE =
  /invalid|expected|received|too (big|small)|unrecognized|pattern|another (type|format|value)|documented forms/i;

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

const expectWords = (message: string): void => {
  expect(message).toMatch(SENTENCE);
  expect(message).not.toMatch(VAGUE);
};

describe('every message of a route', () => {
  const bodies = allRoutes.flatMap((route) => (route.body === undefined ? [] : [[nameOf(route), route] as const]));
  it.each(bodies)('about the body of %s says what to send', (_, { body = z.unknown(), example }) => {
    const messages = messagesOf((value, refused) => checkBody(body, { value }, refused), example);
    for (const message of messages) expectWords(message);
  });

  const queries = allRoutes.flatMap((route) => (route.query === undefined ? [] : [[nameOf(route), route] as const]));
  it.each(queries)('about the query of %s says what to send', (_, { query = z.unknown() }) => {
    const messages = messagesOf(
      (value, refused) => checkParameters(query, { ...(value as object) }, refused),
      everyMember(query),
    );
    expect([...messages]).not.toEqual([]);
    for (const message of messages) expectWords(message);
  });

  it('about headers says what to send', () => {
    const check = (value: unknown, refused: RequestErrors) =>
      checkParameters(RequestHeaders, { ...(value as object) }, refused);
    for (const message of messagesOf(check, everyMember(RequestHeaders))) expectWords(message);
  });
});

describe('a schema without words of its own', () => {
  const faultOf = (schema: z.ZodType, value: unknown) => {
    const refused = new RequestErrors();
    checkBody(z.object({ it: schema }), { value: { it: value } }, refused);
    return refused.errors.map(({ code, message }) => `${code}: ${message}`);
  };
  const rows: readonly [z.ZodType, unknown, string][] = [
    [z.array(z.int()).max(200), Array(201).fill(1), 'too-big: must have at most 200 items'],
    [z.array(z.int()).max(1), [1, 2], 'too-big: must have at most 1 item'],
    [z.array(z.int()).min(2), [1], 'too-small: must have at least 2 items'],
    [z.string().max(21), 'x'.repeat(22), 'too-big: must have at most 21 characters'],
    [z.string().min(1), '', 'too-small: must have at least 1 character'],
    [z.int().max(11), 12, 'too-big: must be at most 11'],
    [z.number().min(0.5), 0.25, 'too-small: must be at least 0.5'],
    [z.int(), 1.5, 'invalid-type: must be a whole number'],
    [z.int(), 2 ** 53, 'too-big: must be at most 9007199254740991'],
    [z.number(), '1', 'invalid-type: must be a number'],
    [z.string(), 1, 'invalid-type: must be a text'],
    [z.string().nullable(), [], 'invalid-type: must be a text'],
    [z.boolean(), 'yes', 'invalid-type: must be true or false'],
    [z.array(z.int()), {}, 'invalid-type: must be a list'],
    [z.object({}), null, 'invalid-type: must be an object'],
    [z.record(z.string(), z.int()), 1, 'invalid-type: must be an object'],
    [z.enum(['A', 'B']), 'C', 'invalid-value: must be one of A, B'],
    [z.literal(true), false, 'invalid-value: must be true'],
    [z.email(), 'ana', 'invalid-format: must be an e-mail address, for example ana@example.org'],
    [z.uuid(), 'x', 'invalid-format: must be a UUID'],
    [z.guid(), 'x', 'invalid-format: must be a UUID'],
    [z.iso.date(), '1.2.2026', 'invalid-format: must be a date, for example 2026-01-31'],
    [z.iso.datetime(), '2026', 'invalid-format: must be an instant, for example 2026-11-22T15:00:00Z'],
    [z.ipv4(), 'x', 'invalid-format: must have another format'],
    [z.number().multipleOf(5), 7, 'invalid-value: must be a multiple of 5'],
    [z.strictObject({}), { a: 1, b: 2 }, 'key-not-allowed: must not have a, b'],
    [z.union([z.string(), z.int()]), null, 'invalid-type: must have one of the documented forms'],
    [z.record(z.enum(['a']), z.int()), { a: 1, b: 1 }, 'key-not-allowed: must not have b'],
    [z.record(z.string().max(1), z.int()), { bb: 1 }, 'key-not-allowed: must not have a member with this name'],
    [z.date(), 1, 'invalid-type: must be of another type'],
    [z.string().refine(() => false), 'x', 'invalid-value: must have another value'],
    [z.string(), undefined, 'required: is required'],
  ];
  it.each(rows.map(([schema, value, expected]) => ({ schema, value, expected })))(
    'gets the code and the words $expected',
    ({ schema, value, expected }) => expect(faultOf(schema, value)).toEqual([expected]),
  );
});

describe('the code of a fault', () => {
  const custom = sourceFiles().flatMap((text) =>
    [...text.matchAll(/params: \{ code: '([^']+)'/g)].map(([, code]) => code),
  );

  it('is one of the enumeration, also if a schema gives it to Zod', () => {
    expect(custom).toEqual(expect.arrayContaining(['blank', 'bad-cursor', 'in-future']));
    for (const code of custom) expect(FieldErrorCode.options).toContain(code);
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

describe('a large body', () => {
  const item = z.object({ name: z.string() });
  const list = z.array(item).max(300);
  const large = 5_000;
  const checked = (schema: z.ZodType, value: unknown, size = large) => {
    const refused = new RequestErrors();
    const parsed = checkBody(schema, { value, size }, refused);
    return {
      parsed,
      isCut: refused.isCut,
      pointers: refused.errors.map((error) => 'pointer' in error && error.pointer),
    };
  };
  const wrong = (count: number) => ({ items: Array.from({ length: count }, () => ({ name: 1 })) });

  it('is checked item by item until the list of faults is full, also behind a default', () => {
    for (const schema of [list, list.optional(), list.default([]), list.prefault([])]) {
      const { parsed, isCut, pointers } = checked(z.object({ items: schema }), wrong(300));
      expect([parsed, isCut, pointers.length, pointers[99]]).toEqual([undefined, true, 100, '/items/99/name']);
    }
  });

  it('with few faults has each of them once', () => {
    const items = [{ name: 'a' }, { name: 1 }, { name: 'b' }];
    const { parsed, isCut, pointers } = checked(z.object({ items: list, other: z.string() }), { items });
    expect([parsed, isCut, pointers]).toEqual([undefined, false, ['/items/1/name', '/other']]);
  });

  it('with a list that is too long has one fault for it', () => {
    expect(checked(z.object({ items: list }), wrong(301)).pointers).toEqual(['/items']);
  });

  it('without faults is parsed', () => {
    const items = [{ name: 'a' }];
    expect(checked(z.object({ items: list }), { items }).parsed).toEqual({ items });
    expect(checked(z.object({ items: list }).default({ items: [] }), undefined).parsed).toEqual({ items: [] });
  });

  it('that is no object, or lacks the list, is refused as a small one is', () => {
    for (const value of [null, 1, [], {}, { items: 1 }]) {
      expect(checked(z.object({ items: list }), value)).toEqual(checked(z.object({ items: list }), value, 1));
    }
  });
});
