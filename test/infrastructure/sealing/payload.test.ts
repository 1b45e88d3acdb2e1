import { createSecretKey, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/infrastructure/sealing/aes-gcm.js';
import {
  divided,
  type FieldPath,
  isSealed,
  type Payload,
  type Place,
  sealed,
  unsealed,
  withoutSealed,
} from '../../../src/infrastructure/sealing/payload.js';

const key = newKey();
const place: Place = { stream: 'user-1', id: '01a1fdd5-227b-7226-b304-937737b30fe7' };
const paths: readonly FieldPath[] = [['name'], ['home', 'city'], ['contacts', '*', 'phone'], ['tags', '*']];

/** The payload as it is stored; it must hold something personal. */
const stored = (data: unknown, at = place, by = key): Payload => {
  const parts = divided(data, paths);
  if (parts === undefined) throw new Error('nothing to seal');
  return sealed(parts, by, at);
};

const person = {
  name: 'Ana Canário',
  home: { city: 'São Paulo', country: 'BR' },
  contacts: [{ phone: '1', kind: 'a' }, { phone: null }, { kind: 'c' }, { phone: '4' }],
  tags: ['x', null, 'y'],
  enabled: true,
};

describe('a sealed payload', () => {
  it('has null in place of each personal value, and all else as it was', () => {
    const { sealed: bytes, ...open } = stored(person);
    expect(bytes).toMatch(/^[\w-]+$/);
    expect(open).toStrictEqual({
      name: null,
      home: { city: null, country: 'BR' },
      contacts: [{ phone: null, kind: 'a' }, { phone: null }, { kind: 'c' }, { phone: null }],
      tags: [null, null, null],
      enabled: true,
    });
  });

  it('is opened to what it was, in the same order of members', () => {
    const whole = unsealed(stored(person), key, place);
    expect(whole).toStrictEqual(person);
    expect(JSON.stringify(whole)).toBe(JSON.stringify(person));
  });

  it('reads as null where it is not opened', () =>
    expect(withoutSealed(stored({ name: 'Ana', enabled: true }))).toStrictEqual({ name: null, enabled: true }));

  it('is another one each time', () => expect(stored(person)).not.toEqual(stored(person)));

  it('does not change what was given', () => {
    const before = structuredClone(person);
    stored(person);
    expect(person).toStrictEqual(before);
  });

  it('begins with the version of its form, and opens in no other', () => {
    const data = stored(person);
    const bytes = Buffer.from(String(data['sealed']), 'base64url');
    expect(bytes[0]).toBe(1);
    bytes[0] = 2;
    expect(unsealed({ ...data, sealed: bytes.toString('base64url') }, key, place)).toBeUndefined();
  });

  it('opens whatever case an engine gives the id', () =>
    expect(unsealed(stored(person), key, { ...place, id: place.id.toUpperCase() })).toStrictEqual(person));

  it.each<[string, Place]>([
    ['another event', { ...place, id: randomUUID() }],
    ['another stream', { ...place, stream: 'user-2' }],
    ['a stream and an id that read alike when joined', { stream: `${place.stream} ${place.id}`, id: '' }],
  ])('does not open in %s', (_, other) => expect(unsealed(stored(person), key, other)).toBeUndefined());

  it('does not open with another key', () => expect(unsealed(stored(person), newKey(), place)).toBeUndefined());

  it('does not open where its places are gone', () => {
    const data = stored(person);
    for (const altered of [
      { ...data, contacts: [] },
      { ...data, contacts: null },
      { ...data, home: 'x' },
    ]) {
      expect(unsealed(altered, key, place)).toBeUndefined();
    }
    const { name, ...nameless } = data;
    expect(unsealed(nameless, key, place)).toBeUndefined();
  });

  it('may hold names with the signs of a pointer', () => {
    const odd: readonly FieldPath[] = [['a/b'], ['~1', 'c~0']];
    const data = { 'a/b': 1, '~1': { 'c~0': [2] } };
    const parts = divided(data, odd);
    expect(parts && unsealed(sealed(parts, key, place), key, place)).toStrictEqual(data);
  });
});

describe('a payload without personal values', () => {
  it.each<[string, unknown]>([
    ['null fields', { name: null, tags: [], contacts: [{ phone: null }] }],
    ['absent fields', { enabled: true }],
    ['fields of other shapes', { home: 'São Paulo', contacts: 3 }],
    ['no members', 'a text'],
    ['a list', [{ name: 'Ana' }]],
    ['null', null],
  ])('is not sealed: %s', (_, data) => expect(divided(data, paths)).toBeUndefined());

  it('may not have a member by the name of what is sealed', () =>
    expect(() => divided({ name: 'Ana', sealed: 'x' }, paths)).toThrow(/"sealed"/));

  it.each([{}, { sealed: null }, { sealed: { x: 1 } }, 'x', null])('is not taken for a sealed one: %j', (data) =>
    expect(isSealed(data)).toBe(false),
  );
});

describe('any payload', () => {
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  const payload = fc.record({
    name: value,
    home: fc.record({ city: value, other: fc.jsonValue() }),
    contacts: fc.array(fc.record({ phone: value, kind: fc.string() }), { maxLength: 4 }),
    tags: fc.array(value, { maxLength: 4 }),
    rest: fc.jsonValue(),
  });
  const plain = (data: unknown) => JSON.parse(JSON.stringify(data));

  it('comes out as it went in', () =>
    fc.assert(
      fc.property(payload, fc.uuid(), fc.string(), (given, id, stream) => {
        const data = plain(given);
        const parts = divided(data, paths);
        if (parts === undefined) return;
        const log = JSON.parse(JSON.stringify(sealed(parts, key, { stream, id })));
        expect(isSealed(log)).toBe(true);
        expect(unsealed(log, key, { stream, id })).toStrictEqual(data);
      }),
    ));

  it('shows nothing of its personal values where it is sealed', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: fc.constantFrom('k', 'q', 'w', 'ç', '☤') }), (canary) => {
        const text = JSON.stringify(stored({ name: canary, tags: [canary], home: { city: { deep: canary } } }));
        for (const form of [canary, Buffer.from(canary).toString('base64').slice(0, -4)]) {
          expect(text).not.toContain(form);
        }
      }),
    ));

  it('does not open once any bit of it is another', () => {
    const data = stored({ name: 'Ana' });
    const bytes = Buffer.from(String(data['sealed']), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(unsealed({ ...data, sealed: altered.toString('base64url') }, key, place)).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(unsealed({ ...data, sealed: cut }, key, place)).toBeUndefined();
    }
  });

  it('is sealed as AES-256-GCM has it', async () => {
    const bytes = Buffer.from(String(stored({ name: 'Ana' })['sealed']), 'base64url');
    const raw = await crypto.subtle.importKey('raw', createSecretKey(key.export()).export(), 'AES-GCM', false, [
      'decrypt',
    ]);
    const algorithm = {
      name: 'AES-GCM',
      iv: bytes.subarray(1, 13),
      additionalData: Buffer.from(`6 ${place.stream} ${place.id}`),
    };
    const opened = await crypto.subtle.decrypt(algorithm, raw, bytes.subarray(13));
    expect(Buffer.from(opened).toString()).toBe('{"/name":"Ana"}');
  });
});
