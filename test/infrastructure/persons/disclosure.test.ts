import { describe, expect, it } from 'vitest';
import { digestOf, disclosureText, isDisclosed, newSalt } from '../../../src/infrastructure/persons/disclosure.js';

// Made by hand: printf '["AAECAwQFBgcICQoLDA0ODw","/firstName","Ana"]' | basenc --base64url | tr -d '=', and the digest
// of that text with sha256sum.
const disclosure = { salt: 'AAECAwQFBgcICQoLDA0ODw', pointer: '/firstName', value: 'Ana' };
const TEXT = 'WyJBQUVDQXdRRkJnY0lDUW9MREEwT0R3IiwiL2ZpcnN0TmFtZSIsIkFuYSJd';
const DIGEST = 'hcwj6QXh9hEVRIT28MfkYDBYJj0VQcBHhc2IxfejGEQ';

describe('a disclosure', () => {
  it('is the base64url of salt, pointer and value as a JSON array', () =>
    expect(disclosureText(disclosure)).toBe(TEXT));

  it('has the SHA-256 digest that was made by hand', () => expect(digestOf(TEXT)).toBe(DIGEST));

  // RFC 9901, 4.2.1 and 4.2.3.
  it('has the digest of the example in SD-JWT', () =>
    expect(digestOf('WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0')).toBe(
      'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0',
    ));

  it('is accepted only if its digest is at its pointer', () => {
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
  it('has 16 bytes, which differ each time', () => {
    const salts = Array.from({ length: 100 }, newSalt);
    expect(new Set(salts).size).toBe(100);
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16);
  });
});
