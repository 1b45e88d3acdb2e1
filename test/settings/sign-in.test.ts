// Tests the variables for sign-in: their results, and the values that stop the start.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';
import { temporaryDirectory } from '../support/directory.js';

it.each(['https://protocols.example.org', 'http://localhost:3000', 'https://[::1]:8443'])(
  'PUBLIC_URL may be %s',
  (url) => expect(readConfig({ PUBLIC_URL: url })).toMatchObject({ publicUrl: url }),
);

it.each([
  ...['protocols.example.org', 'ftp://a.b', 'https://a.b/', 'https://a.b/c', 'https://a.b?c', 'https://a.b#c'],
  // Tokens name the URL as their issuer.
  ...['https://ana:canary@a.b', 'https://a b', 'https://a.b:port'],
])('PUBLIC_URL may not be %s', (url) => {
  expect(() => readConfig({ PUBLIC_URL: url })).toThrow(/^PUBLIC_URL: must be .* for example https:\/\/[^@]*$/);
});

describe('GOOGLE_APPLICATION_CREDENTIALS', () => {
  it('stops the start if the file is missing or invalid, without showing its content', () => {
    const file = join(temporaryDirectory(), 'key.json');
    const fault = /^GOOGLE_APPLICATION_CREDENTIALS: the file must be the JSON key of a service account/;
    expect(() => readConfig({ GOOGLE_APPLICATION_CREDENTIALS: file })).toThrow(fault);
    writeFileSync(file, '{"private_key": "canary"}');
    const read = () => readConfig({ GOOGLE_APPLICATION_CREDENTIALS: file });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(fault);
    expect(read).not.toThrow(/canary/);
  });
});
