import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allPersonalPaths } from '../../src/domain/all.js';
import { personal, personalPathsOf } from '../../src/domain/personal.js';

// Written down, because the log keeps a field in the clear forever if its mark is lost.
const PERSON = ['firstName', 'lastName', 'gender', 'document', 'birthDate', 'dialingCode', 'phone', 'email'];
const CREDENTIALS = ['documentDoctor', 'documentDoctorState', 'documentDoctorUpdatedAt'];
const PERSONAL: Readonly<Record<string, readonly string[]>> = {
  UserRegistered: PERSON,
  UserRevised: [...PERSON, 'signInEmail'],
  UserProfileAdded: CREDENTIALS,
  UserProfileApproved: ['reason'],
  UserProfileRejected: ['reason'],
  UserProfileDecisionExplained: ['reason'],
  UserProfileResubmitted: CREDENTIALS,
  UserPhoneChanged: ['dialingCode', 'phone'],
  UserSignInEmailChanged: ['email', 'operator'],
};

const pathsOf = (schema: z.ZodType) =>
  personalPathsOf({ Told: schema })
    .get('Told')
    ?.map((path) => path.join('.'));
const name = () => personal(z.string());

describe('the personal fields of the events', () => {
  it('are exactly these', () =>
    expect(Object.fromEntries([...allPersonalPaths].map(([type, paths]) => [type, paths.map(String)]))).toEqual(
      PERSONAL,
    ));

  it('are those that docs/events.md marks', () => {
    const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
    const marked = page.split('\n### ').flatMap((section) => {
      const fields = [...section.matchAll(/^- `(.+?)`: .*personal: sealed$/gm)].map(([, field]) => field);
      const same = /^The fields of `(\w+)`\.$/m.exec(section)?.[1] ?? '';
      const shown = fields.length > 0 ? fields : PERSONAL[same];
      return shown === undefined ? [] : [[/^\w+/.exec(section)?.[0], shown]];
    });
    expect(Object.fromEntries(marked)).toEqual(PERSONAL);
  });
});

describe('the mark of a personal field', () => {
  it.each<[string, z.ZodType]>([
    ['described', name().describe('The name.')],
    ['with metadata', name().meta({ title: 'Name' })],
    ['refined', name().refine((value) => value !== 'x')],
    [
      'refined twice and described',
      name()
        .superRefine(() => {})
        .check(() => {})
        .describe('The name.'),
    ],
    ['optional', name().optional()],
    ['nullable again', name().nullable()],
    ['with a default', name().default(null)],
    ['read-only', name().readonly()],
    ['an alternative', z.union([z.number(), name()])],
  ])('holds if the field is %s', (_, field) => expect(pathsOf(z.object({ field }))).toEqual(['field']));

  it.each<[string, z.ZodType, string]>([
    ['a list', z.array(name()), 'field.*'],
    [
      'a list of objects',
      z
        .array(z.object({ name: name() }))
        .max(2)
        .readonly(),
      'field.*.name',
    ],
    ['a record', z.record(z.string(), name()), 'field.*'],
    ['an object of some form', z.union([z.object({ n: z.null() }), z.strictObject({ name: name() })]), 'field.name'],
    ['an object with other members', z.object({}).catchall(name()), 'field.*'],
  ])('is found in %s', (_, field, path) => expect(pathsOf(z.object({ field }))).toEqual([path]));

  it('is not on what a command shares with the field', () =>
    expect(pathsOf(z.object({ field: name().unwrap() }))).toBeUndefined());
});

it.each<[string, z.ZodType]>([
  ['pipe', name().transform(String)],
  ['pipe', z.preprocess(String, name())],
  ['lazy', z.lazy(name)],
  ['tuple', z.tuple([name()])],
  ['map', z.map(z.string(), name())],
  ['set', z.set(name())],
  ['intersection', z.intersection(z.object({ name: name() }), z.object({}))],
  ['prefault', name().prefault(null)],
  ['catch', name().catch(null)],
  ['custom', z.custom()],
])('a schema of the kind %s in an event stops the start, with the place of the schema', (kind, schema) => {
  expect(() => pathsOf(z.object({ list: z.array(z.object({ field: schema })) }))).toThrow(
    `Told.list.*.field is a schema of the kind "${kind}"`,
  );
});
