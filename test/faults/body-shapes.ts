// Bodies that cost a service far more than they cost their sender, each as long as it may be.
const LONG_KEY = 'k'.repeat(400_000);
const ID = '01a1fdd5-21cb-705e-a60a-54d923c9cb32';

type Shape = (limit: number) => string;

/** Fills what is between two texts with as many items as a body of so many bytes may have. */
const filled =
  (before: string, item: string, after: string): Shape =>
  (limit) =>
    `${before}${Array(Math.floor((limit - before.length - after.length) / (item.length + 1))).fill(item)}${after}`;

/** As many members as a body may have, each with a key of its own. */
const membersWithin =
  (before: string, after: string): Shape =>
  (limit) =>
    `${before}${Array.from({ length: Math.floor((limit - before.length - after.length) / 12) }, (_, n) => `"k${n}":1`)}${after}`;

/** What each kind of fault looks like. */
const FAULTS: Readonly<Record<string, string>> = {
  'control-character': '"\\u0001"',
  'lone-surrogate': '"\\ud800"',
  'not-finite': '1e999',
  'not-exact': '9007199254740993',
  'key-not-allowed': '{"__proto__":1}',
  'duplicate-key': '{"a":1,"a":1}',
  'too-deep': `${'['.repeat(98)}[[]]${']'.repeat(98)}`,
};

const kinds = Object.entries(FAULTS);
const longestKey = (limit: number) => LONG_KEY.slice(0, limit / 2);

/** The shapes by their names; each makes a body of at most so many bytes. */
export const shapes: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    kinds.map(([kind, item]) => [
      `${kind} behind a long key`,
      (limit: number) => filled(`{"${longestKey(limit)}":[`, item, ']}')(limit),
    ]),
  ),
  ...Object.fromEntries(kinds.map(([kind, item]) => [`${kind} many times`, filled('{"a":[', item, ']}')])),
  'control characters behind a key of 20,000': (limit) =>
    filled(`{"${'k'.repeat(Math.min(20_000, limit / 2))}":[`, '"\\u0001"', ']}')(Math.min(limit, 65_000)),
  'lists in 100 levels': filled('['.repeat(100), '[]', ']'.repeat(100)),
  'one key over and over': filled('{', '"a":1', '}'),
  'many keys': membersWithin('{', '}'),
  'many keys, the last of them twice': membersWithin('{"z":1,', ',"z":1}'),
  'empty texts': filled('{"a":[', '""', ']}'),
  'empty objects': filled('{"a":[', '{}', ']}'),
  'numbers of 15 digits': filled('{"a":[', '123456789012345', ']}'),
  'a text of escapes': filled('{"a":"', '\\n', '"}'),
  'a key of control characters': filled('{"', '\\u0001', '":"\\ud800"}'),
  'empty score ranges': filled('{"questions":[],"scoreRanges":[', '{}', ']}'),
  'questions that are none': filled('{"scoreRanges":[],"questions":[', '1', ']}'),
  'empty options': filled('{"scoreRanges":[],"questions":[', `{"options":[${Array(200).fill('{}')}]}`, ']}'),
  'options that are none': filled('{"scoreRanges":[],"questions":[', `{"options":[${Array(200).fill('1')}]}`, ']}'),
  'options with one id': filled(
    '{"scoreRanges":[],"questions":[',
    `{"questionText":"Q","options":[${Array(20).fill(`{"id":"${ID}","optionText":"O","score":1}`)}]}`,
    ']}',
  ),
  'metadata of many keys': membersWithin('{"scoreRanges":[],"questions":[{"questionText":"Q","metadata":{', '}}]}'),
  'one user over and over': filled('{"userIds":[', `"${ID}"`, ']}'),
  'one specialty over and over': filled('{"profiles":[{"specialties":[', '{"description":"A"}', ']}]}'),
  'nothing but open brackets': (limit) => '['.repeat(limit),
};
