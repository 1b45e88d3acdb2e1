// Makes bodies that cost the service far more than they cost their sender, each as long as the limit allows.
const LONG_KEY = 'k'.repeat(400_000);
const ID = '01a1fdd5-21cb-705e-a60a-54d923c9cb32';

type Shape = (limit: number) => string;

/** Repeats an item between two texts as often as a body of `limit` bytes allows. */
const filled =
  (before: string, item: string, after: string): Shape =>
  (limit) =>
    `${before}${Array(Math.floor((limit - before.length - after.length) / (item.length + 1))).fill(item)}${after}`;

/** Makes as many members as a body of `limit` bytes allows, each with a key of its own. */
const membersWithin =
  (before: string, after: string): Shape =>
  (limit) =>
    `${before}${Array.from({ length: Math.floor((limit - before.length - after.length) / 12) }, (_, n) => `"k${n}":1`)}${after}`;

/** Maps each kind of fault to a value that has it. */
const FAULTS: Readonly<Record<string, string>> = {
  'control-character': '"\\u0001"',
  'lone-surrogate': '"\\ud800"',
  'not-finite': '1e999',
  'key-not-allowed': '{"__proto__":1}',
  'too-deep': `${'['.repeat(98)}[[]]${']'.repeat(98)}`,
};

const kinds = Object.entries(FAULTS);
const longestKey = (limit: number) => LONG_KEY.slice(0, limit / 2);

/** Maps the name of each shape to a function that makes a body of at most `limit` bytes. */
export const shapes: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    kinds.map(([kind, item]) => [
      `${kind} after a long key`,
      (limit: number) => filled(`{"${longestKey(limit)}":[`, item, ']}')(limit),
    ]),
  ),
  ...Object.fromEntries(kinds.map(([kind, item]) => [`${kind} many times`, filled('{"a":[', item, ']}')])),
  'control characters after a key of 20,000 characters': (limit) =>
    filled(`{"${'k'.repeat(Math.min(20_000, limit / 2))}":[`, '"\\u0001"', ']}')(Math.min(limit, 65_000)),
  'lists nested in 100 levels': filled('['.repeat(100), '[]', ']'.repeat(100)),
  'one key repeated': filled('{', '"a":1', '}'),
  'many keys': membersWithin('{', '}'),
  'many keys, the first one repeated': membersWithin('{"z":1,', ',"z":1}'),
  'empty strings': filled('{"a":[', '""', ']}'),
  'empty objects': filled('{"a":[', '{}', ']}'),
  'numbers of 15 digits': filled('{"a":[', '123456789012345', ']}'),
  'a string of escapes': filled('{"a":"', '\\n', '"}'),
  'a key of control characters': filled('{"', '\\u0001', '":"\\ud800"}'),
  'empty score ranges': filled('{"questions":[],"scoreRanges":[', '{}', ']}'),
  'numbers instead of questions': filled('{"scoreRanges":[],"questions":[', '1', ']}'),
  'empty options': filled('{"scoreRanges":[],"questions":[', `{"options":[${Array(200).fill('{}')}]}`, ']}'),
  'numbers instead of options': filled(
    '{"scoreRanges":[],"questions":[',
    `{"options":[${Array(200).fill('1')}]}`,
    ']}',
  ),
  'options with one id': filled(
    '{"scoreRanges":[],"questions":[',
    `{"questionText":"Q","options":[${Array(20).fill(`{"id":"${ID}","optionText":"O","score":1}`)}]}`,
    ']}',
  ),
  'metadata of many keys': membersWithin('{"scoreRanges":[],"questions":[{"questionText":"Q","metadata":{', '}}]}'),
  'one user repeated': filled('{"userIds":[', `"${ID}"`, ']}'),
  'one specialty repeated': filled('{"profiles":[{"specialties":[', '{"description":"A"}', ']}]}'),
  'nothing but open brackets': (limit) => '['.repeat(limit),
};
