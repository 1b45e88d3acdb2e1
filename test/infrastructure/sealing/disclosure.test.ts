import { describe, expect, it } from 'vitest';
import { digestOf, disclosureText, isDisclosed, newSalt } from '../../../src/infrastructure/sealing/disclosure.js';

// By hand: printf '["AAECAwQFBgcICQoLDA0ODw","/firstName","Ana"]' | basenc --base64url | tr -d '=', and that text
// through sha256sum.
const disclosure = { salt: 'AAECAwQFBgcICQoLDA0ODw', pointer: '/firstName', value: 'Ana' };
const TEXT = 'WyJBQUVDQXdRRkJnY0lDUW9MREEwT0R3IiwiL2ZpcnN0TmFtZSIsIkFuYSJd';
const DIGEST = 'hcwj6QXh9hEVRIT28MfkYDBYJj0VQcBHhc2IxfejGEQ';

describe('a disclosure', () => {
  it('is the base64url of salt, pointer and value as a JSON array', () =>
    expect(disclosureText(disclosure)).toBe(TEXT));

  it('has the digest that SHA-256 gives by hand', () => expect(digestOf(TEXT)).toBe(DIGEST));

  // RFC 9901, 4.2.1 and 4.2.3.
  it('has a digest as SD-JWT makes it', () =>
    expect(digestOf('WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0')).toBe(
      'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0',
    ));

  it('is believed if its digest stands at its pointer', () => {
    const digests = { '/firstName': DIGEST, '/lastName': digestOf('another') };
    expect(isDisclosed(disclosure, digests)).toBe(true);
    for (const other of [
      { ...disclosure, value: 'Eva' },
      { ...disclosure, salt: newSalt() },
      { ...disclosure, pointer: '/lastName' },
      { ...disclosure, pointer: 'toString' },
    ]) {
      expect(isDisclosed(other, digests)).toBe(false);
    }
  });
});

describe('a salt', () => {
  it('has 16 bytes, others each time', () => {
    const salts = Array.from({ length: 100 }, newSalt);
    expect(new Set(salts).size).toBe(100);
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16);
  });
});
