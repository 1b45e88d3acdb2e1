// Tests what is said about an unusable service account, which signs the custom tokens for Firebase.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { faultsOf } from './support/faults.js';

describe('the start is refused with one line that names what is wrong with', () => {
  const pem = (type: 'rsa' | 'ec') => {
    const { privateKey } =
      type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  };
  const [rsa, ec] = [pem('rsa'), pem('ec')];
  const account = (private_key: unknown) => JSON.stringify({ client_email: 'a@example.org', private_key });
  const DAMAGED: readonly [string, string][] = [
    ['a backslash and an n for each line break', account(rsa.replaceAll('\n', '\\n'))],
    ['a carriage return for each line break, as two characters', account(rsa.replaceAll('\n', '\\r'))],
    ['spaces for line breaks', account(rsa.replaceAll('\n', ' '))],
    ['no line breaks', account(rsa.replaceAll('\n', ''))],
    ['an n for each line break', account(rsa.replaceAll('\n', 'n'))],
    ['line breaks that JSON does not allow', account(rsa).replaceAll('\\n', '\n')],
    ['line breaks of Windows that JSON does not allow', account(rsa).replaceAll('\\n', '\r\n')],
  ];
  const UNUSABLE: readonly [string, string][] = [
    ...DAMAGED,
    ['JSON in quotes', `'${account(rsa)}'`],
    ['base64', Buffer.from(account(rsa)).toString('base64')],
    ['half a file', account(rsa).slice(0, 900)],
    ['another object', '{"project_id": "canary"}'],
    ['a list', '["canary"]'],
    ['null', 'null'],
    ['a key that is no text', account({ canary: 1 })],
    ['no e-mail address', JSON.stringify({ private_key: rsa })],
    ['a key of another kind', account(ec)],
    ['a key that opens nothing', account(rsa.replaceAll(/[A-Z]/g, 'A').replaceAll('AAAAA', '-----'))],
  ];
  const secretsIn = (text: string) => [...(text.match(/[\w+/]{40,}/g) ?? []), 'canary'];

  it.each(UNUSABLE)('a service account with %s, in the variable and in a file, without showing it', (_, text) => {
    const file = join(temporaryDirectory(), 'key.json');
    writeFileSync(file, text);
    const inVariable = faultsOf({ FIREBASE_SERVICE_ACCOUNT: text });
    const inFile = faultsOf({ GOOGLE_APPLICATION_CREDENTIALS: file });
    expect(inVariable).toMatch(/^FIREBASE_SERVICE_ACCOUNT: must be the JSON key of a service account[^\n]*$/);
    expect(inFile).toMatch(
      /^GOOGLE_APPLICATION_CREDENTIALS: the file [^\n]* must be the JSON key of a service account[^\n]*$/,
    );
    expect(inFile).toContain(file);
    for (const faults of [inVariable, inFile]) {
      expect(faults).toMatch(/client_email.*RSA private_key.*each line break is \\n/);
      for (const secret of secretsIn(text)) expect(faults).not.toContain(secret);
    }
  });

  it('a file of a service account that cannot be read, with its name and the reason', () => {
    const directory = temporaryDirectory();
    const faults = (file: string) => faultsOf({ GOOGLE_APPLICATION_CREDENTIALS: file });
    for (const file of [join(directory, 'key.json'), join(directory, 'a', 'b.json'), 'no such file.json']) {
      expect(faults(file)).toBe(`GOOGLE_APPLICATION_CREDENTIALS: the file ${file} does not exist`);
    }
    expect(faults(directory)).toMatch(/^GOOGLE_APPLICATION_CREDENTIALS: the file [^\n]* cannot be read \(EISDIR\)$/);
    expect(faults(directory)).toContain(directory);
  });

  it('a key in place of the name of its file, without showing the key', () => {
    for (const key of [account(rsa), rsa, Buffer.from(account(rsa)).toString('base64'), account('canary')]) {
      const faults = faultsOf({ GOOGLE_APPLICATION_CREDENTIALS: key });
      expect(faults).toMatch(/^GOOGLE_APPLICATION_CREDENTIALS: [^\n]*FIREBASE_SERVICE_ACCOUNT[^\n]*$/);
      for (const secret of secretsIn(key)) expect(faults).not.toContain(secret);
    }
  });

  it('not a service account whose file begins with a byte order mark', () =>
    expect(faultsOf({ FIREBASE_SERVICE_ACCOUNT: `\uFEFF${account(rsa)}\r\n` })).toBe(''));
});
