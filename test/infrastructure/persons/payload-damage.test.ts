import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedPayload } from '../../../src/infrastructure/facts/sqlite/log.js';
import {
  isSealed,
  sealPayload,
  separatePersonal,
  withoutPersonal,
} from '../../../src/infrastructure/persons/payload.js';
import type { Payload } from '../../../src/infrastructure/persons/personal-values.js';
import { event, key, opened, paths, person, stored } from './support/payload-samples.js';

describe('the text of a payload', () => {
  const text = JSON.stringify(stored(person));
  const [start, end] = [text.indexOf('"sealed":"') + '"sealed":"'.length, text.length - '"}'.length];
  const open = withoutPersonal(stored(person), paths);

  it('is parsed as JSON', () => expect(parsedPayload(text)).toStrictEqual(JSON.parse(text)));

  it('keeps its open members if a character of its sealed part is altered, and the sealed part does not open', () => {
    const places = Array.from({ length: end + 2 - start }, (_, index) => start + index);
    const characters = ['"', '\\', '\u0000', '\n', '\uFFFD', 'é', ',', '}', '!'];
    const altered = places.flatMap((at) => characters.map((other) => text.slice(0, at) + other + text.slice(at + 1)));
    for (const other of altered.filter((each) => each !== text)) {
      const data = parsedPayload(other) as Payload;
      expect(withoutPersonal(data, paths)).toStrictEqual(open);
      expect(opened(data)).toBeTypeOf('string');
    }
  });

  it('is refused if it is altered elsewhere', () => {
    expect(() => parsedPayload(text.slice(1))).toThrow(SyntaxError);
    expect(() => parsedPayload('{"name":null')).toThrow(SyntaxError);
  });
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

  it('opens to what was sealed', () =>
    fc.assert(
      fc.property(payload, fc.uuid(), fc.string(), (given, id, stream) => {
        const data = plain(given);
        const parts = separatePersonal(data, paths);
        if (parts === undefined) return;
        const of = { ...event, stream, id };
        const log = JSON.parse(JSON.stringify(sealPayload(parts, key, of)));
        expect(isSealed(log)).toBe(true);
        expect(opened(log, of)).toStrictEqual(data);
      }),
    ));

  it('shows no personal value once it is sealed', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: fc.constantFrom('k', 'q', 'w', 'ç', '☤') }), (canary) => {
        const text = JSON.stringify(stored({ name: canary, tags: [canary], home: { city: { deep: canary } } }));
        for (const form of [canary, Buffer.from(canary).toString('base64').slice(0, -4)]) {
          expect(text).not.toContain(form);
        }
      }),
    ));

  it('does not open if any of its bits is altered', () => {
    const data = stored({ name: 'Ana' });
    const bytes = Buffer.from(String(data['sealed']), 'base64url');
    const flipped = (bit: number) =>
      Buffer.from(bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)));
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = flipped(bit);
      expect(opened({ ...data, sealed: altered.toString('base64url') })).toBe(
        altered[0] === bytes[0] ? 'damaged' : 'unknown-version',
      );
    }
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(opened({ ...data, sealed: cut })).toBe('damaged');
    }
  });

  it.each<[string, unknown]>([
    ['not a string', 7],
    ['null', null],
    ['not base64url', 'not even base64!'],
    ['padded', '='],
  ])('does not open if it is %s', (_, value) => expect(opened({ ...stored(person), sealed: value })).toBe('damaged'));

  it('does not open if another text encodes the same bytes', () => {
    const data = stored({ name: 'Anas' });
    const text = String(data['sealed']);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => text.slice(0, -1) + last)
      .filter((other) => other !== text);
    for (const other of others) expect(opened({ ...data, sealed: other })).toBe('damaged');
  });
});
