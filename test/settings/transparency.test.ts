// Tests the name of the audit log: the result of its variables, and the values that stop the start.
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';

it.each<[Record<string, string>, string]>([
  [{}, 'localhost/audit/log'],
  [{ PUBLIC_URL: 'https://protocols.example.org' }, 'protocols.example.org/audit/log'],
  [{ PUBLIC_URL: 'https://Protocols.example.org:443' }, 'protocols.example.org/audit/log'],
  [{ PUBLIC_URL: 'https://protocols.example.org:8443' }, 'protocols.example.org:8443/audit/log'],
  [{ LOG_ORIGIN: 'hospital.example' }, 'hospital.example/audit/log'],
  [{ LOG_ORIGIN: 'hospital.example', PUBLIC_URL: 'https://a.b' }, 'hospital.example/audit/log'],
])('%j names the log %s', (environment, origin) => expect(readConfig(environment).logOrigin).toBe(origin));

it.each(['two words', 'a+b', 'a\tb', 'a\nb', 'a\u0000b', 'a\u00a0b', 'https://a.b', 'a/b', 'x'.repeat(201)])(
  'LOG_ORIGIN may not be %j',
  (value) => expect(() => readConfig({ LOG_ORIGIN: value })).toThrow(/^LOG_ORIGIN: must be .* for example \S+$/),
);
