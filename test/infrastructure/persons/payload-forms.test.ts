// Fixes the format of a sealed payload, so that it opens forever and each of its values can be verified alone.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestOf, isDisclosed } from '../../../src/infrastructure/persons/disclosure.js';
import { disclosuresOf, isPersonal } from '../../../src/infrastructure/persons/payload.js';
import { newKey } from '../../../src/infrastructure/sealed/aes-gcm.js';
import { event, key, opened, paths, person, stored } from './support/payload-samples.js';

describe('the digests of a sealed payload', () => {
  const values = { '/name': person.name, '/home/city': person.home.city };
  const sealedPerson = stored({ name: person.name, home: person.home });
  const digests = sealedPerson['digests'] as Record<string, string>;

  it('are one for each value, different each time', () => {
    expect(Object.keys(digests)).toEqual(Object.keys(values));
    const others = stored({ name: person.name, home: person.home })['digests'] as Record<string, string>;
    for (const [pointer, digest] of Object.entries(digests)) {
      expect(digest).toMatch(/^[\w-]{43}$/);
      expect(others[pointer]).not.toBe(digest);
    }
  });

  it('are not accepted without the sealed part', () => {
    const { sealed: _, ...rest } = sealedPerson;
    expect(isPersonal(rest, paths)).toBe(true);
    expect(opened(rest)).toBe('removed');
  });

  it.each<[string, unknown]>([
    ['altered', { ...digests, '/name': digestOf('another') }],
    ['fewer', { '/name': digests['/name'] }],
    ['more', { ...digests, '/tags/0': digestOf('another') }],
    ['missing', undefined],
    ['not an object', 7],
  ])('keep the payload from opening if they are %s', (_, altered) =>
    expect(opened({ ...sealedPerson, digests: altered })).toBe('damaged'),
  );
});

describe('the disclosures of a sealed payload', () => {
  const sealedPerson = stored({ name: person.name, home: person.home });
  const digests = sealedPerson['digests'] as Record<string, string>;

  it('are its values with their salts, which its digests confirm', () => {
    const disclosures = disclosuresOf(sealedPerson, key, event);
    expect(disclosures.map(({ pointer, value }) => [pointer, value])).toEqual([
      ['/name', person.name],
      ['/home/city', person.home.city],
    ]);
    for (const disclosure of disclosures) expect(isDisclosed(disclosure, digests)).toBe(true);
  });

  it('are empty if the payload does not open', () => {
    expect(disclosuresOf(sealedPerson, newKey(), event)).toEqual([]);
    expect(disclosuresOf({ ...sealedPerson, enabled: false }, key, event)).toEqual([]);
    expect(disclosuresOf({ ...sealedPerson, sealed: 7 }, key, event)).toEqual([]);
    expect(disclosuresOf({ enabled: true }, key, event)).toEqual([]);
  });
});

// Decrypts with WebCrypto and the description of the formats alone, because the payloads of the log must open forever.
describe('the form of sealing', () => {
  const decrypted = async (bytes: Buffer, context: string) => {
    const raw = await crypto.subtle.importKey('raw', createSecretKey(key.export()).export(), 'AES-GCM', false, [
      'decrypt',
    ]);
    const algorithm = { name: 'AES-GCM', iv: bytes.subarray(1, 13), additionalData: Buffer.from(context) };
    return Buffer.from(await crypto.subtle.decrypt(algorithm, raw, bytes.subarray(13))).toString();
  };

  it('version 2 is AES-256-GCM over the salted values, bound to the canonical JSON of the event', async () => {
    const data = stored({ name: 'Ana', enabled: true });
    const digests = data['digests'] as Record<string, string>;
    const context =
      `{"data":{"digests":{"/name":"${digests['/name']}"},"enabled":true,"name":null},` +
      '"id":"01a1fdd5-227b-7226-b304-937737b30fe7",' +
      '"metadata":{"actor":{"id":"user-2","roles":["ADMINISTRATOR","NURSE"]},"at":"2026-01-05T08:00:00.000Z",' +
      '"causationId":"request-1","correlationId":"01a1fdd5227b7226b304937737b30fe7","origin":"https://desk.example",' +
      '"schemaVersion":1},"revision":3,"stream":"user-1","type":"Registered"}';
    const plain = await decrypted(Buffer.from(String(data['sealed']), 'base64url'), context);
    expect(plain).toMatch(/^\{"\/name":\["[\w-]{22}","Ana"\]\}$/);
    const [salt = ''] = JSON.parse(plain)['/name'];
    expect(isDisclosed({ salt, pointer: '/name', value: 'Ana' }, digests)).toBe(true);
    expect(isDisclosed({ salt, pointer: '/name', value: 'Eva' }, digests)).toBe(false);
  });
});
