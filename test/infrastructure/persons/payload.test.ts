import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Disclosure, digestOf, disclosureText, newSalt } from '../../../src/infrastructure/persons/disclosure.js';
import {
  isPersonal,
  isSealed,
  openPayload,
  type Sealable,
  sealingContextOf,
  sealPayload,
  separatePersonal,
  textOf,
  withoutPersonal,
} from '../../../src/infrastructure/persons/payload.js';
import type { FieldPath } from '../../../src/infrastructure/persons/personal-values.js';
import { encrypt, newKey } from '../../../src/infrastructure/sealed/aes-gcm.js';
import { event, key, opened, paths, person, stored } from './support/payload-samples.js';

const phones = ['/contacts/0/phone', '/contacts/3/phone'];

const disclosed = (pointer: string, value: string): Disclosure => ({ salt: newSalt(), pointer, value });
const digestsOf = (values: readonly Disclosure[]) =>
  Object.fromEntries(values.map((value) => [value.pointer, digestOf(disclosureText(value))]));

/** Returns what a payload opens to that somebody who has the key sealed with these values and digests. */
const sealedOf = (values: readonly Disclosure[], digests: object | undefined) => {
  const bound = { name: null, home: { city: null }, ...(digests && { digests }) };
  const personal = Object.fromEntries(values.map(({ salt, pointer, value }) => [pointer, [salt, value]]));
  const ciphertext = encrypt(key, JSON.stringify(personal), sealingContextOf(event, bound));
  return opened({ ...bound, sealed: textOf(2, ciphertext) });
};

describe('a sealed payload', () => {
  it('has null in place of each personal value, and every other value unchanged', () => {
    const { sealed: bytes, digests, ...open } = stored(person);
    expect(bytes).toMatch(/^[\w-]+$/);
    expect(Object.keys(digests as object)).toEqual(['/name', '/home/city', ...phones, '/tags/0', '/tags/2']);
    expect(open).toStrictEqual({
      name: null,
      home: { city: null, country: 'BR' },
      contacts: [{ phone: null, kind: 'a' }, { phone: null }, { kind: 'c' }, { phone: null }],
      tags: [null, null, null],
      enabled: true,
    });
  });

  it('opens to the original, with its members in the same order', () => {
    const whole = opened(stored(person));
    expect(whole).toStrictEqual(person);
    expect(JSON.stringify(whole)).toBe(JSON.stringify(person));
  });

  it('has null in place of each personal value if it is not opened', () =>
    expect(withoutPersonal(stored({ name: 'Ana', enabled: true }), paths)).toStrictEqual({
      name: null,
      enabled: true,
    }));

  it('is different each time', () => expect(stored(person)).not.toEqual(stored(person)));

  it('leaves the original unchanged', () => {
    const before = structuredClone(person);
    stored(person);
    expect(person).toStrictEqual(before);
  });

  it('begins with the version of its format, and opens in no other version', () => {
    const data = stored(person);
    const bytes = Buffer.from(String(data['sealed']), 'base64url');
    expect(bytes[0]).toBe(2);
    for (const version of [1, 3]) {
      bytes[0] = version;
      expect(opened({ ...data, sealed: bytes.toString('base64url') })).toBe('unknown-version');
    }
  });

  it('opens whatever case an engine gives the id', () =>
    expect(opened(stored(person), { ...event, id: event.id.toUpperCase() })).toStrictEqual(person));

  it('opens whatever order an engine gives the members of metadata and payload', () => {
    const reversed = <T extends object>(members: T) => Object.fromEntries(Object.entries(members).toReversed()) as T;
    const of = { ...event, metadata: reversed(event.metadata) };
    expect(opened(reversed(stored(person)), of)).toStrictEqual(person);
  });

  const { metadata } = event;
  it.each<[string, Sealable]>([
    ['another event', { ...event, id: randomUUID() }],
    ['another stream', { ...event, stream: 'user-2' }],
    ['another revision', { ...event, revision: 4 }],
    ['an event of another type', { ...event, type: 'Revised' }],
    ['an event of another time', { ...event, metadata: { ...metadata, at: '2026-01-05T08:00:00.001Z' } }],
    ['an event of another actor', { ...event, metadata: { ...metadata, actor: { ...metadata.actor, id: 'user-3' } } }],
    [
      'an event of an actor with other roles',
      { ...event, metadata: { ...metadata, actor: { ...metadata.actor, roles: ['ADMINISTRATOR'] } } },
    ],
    ['an event of another request', { ...event, metadata: { ...metadata, causationId: 'request-2' } }],
    ['an event of another origin', { ...event, metadata: { ...metadata, origin: 'https://evil.example' } }],
    ['an event of another schema version', { ...event, metadata: { ...metadata, schemaVersion: 2 } }],
  ])('does not open in %s', (_, other) => expect(opened(stored(person), other)).toBe('damaged'));

  it('does not open once another member of the payload is altered, added or removed', () => {
    const { enabled: _, ...less } = stored(person);
    for (const altered of [{ ...stored(person), enabled: false }, { ...stored(person), more: 1 }, less]) {
      expect(opened(altered)).toBe('damaged');
    }
  });

  it('does not open with another key', () => expect(opened(stored(person), event, newKey())).toBe('damaged'));

  it('does not open if the places of its values are missing', () => {
    const data = stored(person);
    for (const altered of [
      { ...data, contacts: [] },
      { ...data, contacts: null },
      { ...data, home: 'x' },
    ]) {
      expect(opened(altered)).toBe('damaged');
    }
    const { name, ...nameless } = data;
    expect(opened(nameless)).toBe('damaged');
  });

  it('does not open, even with its key, unless its digests are exactly those of its values', () => {
    const [ana, eva, city] = [disclosed('/name', 'Ana'), disclosed('/name', 'Eva'), disclosed('/home/city', 'Recife')];
    expect(sealedOf([ana, city], digestsOf([ana, city]))).toEqual({ name: 'Ana', home: { city: 'Recife' } });
    for (const digests of [
      digestsOf([eva, city]),
      digestsOf([ana]),
      digestsOf([ana, city, disclosed('/tags/0', 'x')]),
      { ...digestsOf([ana]), '/tags/0': digestOf(disclosureText(city)) },
      {},
      undefined,
    ]) {
      expect(sealedOf([ana, city], digests)).toBe('damaged');
    }
  });

  it('may have names with the special characters of a JSON pointer', () => {
    const odd: readonly FieldPath[] = [['a/b'], ['~1', 'c~0']];
    const data = { 'a/b': 1, '~1': { 'c~0': [2] } };
    const parts = separatePersonal(data, odd);
    expect(parts && openPayload(sealPayload(parts, key, event), key, event, odd)).toStrictEqual(data);
  });
});

describe('a payload without personal values', () => {
  it.each<[string, unknown]>([
    ['null fields', { name: null, tags: [], contacts: [{ phone: null }] }],
    ['absent fields', { enabled: true }],
    ['fields of other shapes', { home: 'São Paulo', contacts: 3 }],
    ['a string', 'a text'],
    ['a list', [{ name: 'Ana' }]],
    ['null', null],
  ])('is not sealed: %s', (_, data) => expect(separatePersonal(data, paths)).toBeUndefined());

  it.each(['sealed', 'digests'])('may not have a member "%s", which sealing adds', (name) =>
    expect(() => separatePersonal({ name: 'Ana', [name]: 'x' }, paths)).toThrow(`"${name}"`),
  );

  it.each([{}, { name: null }, [], 'x', null])('does not count as sealed: %j', (data) =>
    expect([isSealed(data), isPersonal(data, paths)]).toEqual([false, false]),
  );
});

describe('a payload with a personal value that is not sealed', () => {
  it.each<[string, object]>([
    ['at the top', { name: 'Ana' }],
    ['deeper', { home: { city: 'São Paulo' } }],
    ['in a list', { contacts: [{ phone: null }, { phone: '4' }] }],
    ['beside sealed values', { ...stored({ name: 'Ana' }), tags: ['x'] }],
    ['in the place of a sealed value', { ...stored({ name: 'Ana' }), name: 'Eva' }],
  ])('is not trusted: %s', (_, data) => {
    expect(isPersonal(data, paths)).toBe(true);
    expect(opened({ ...data })).toBe('plain');
    expect(separatePersonal(withoutPersonal({ ...data }, paths), paths)).toBeUndefined();
  });
});
