// The values of the variables: what they set, and what stops the start with a message that names the variable and a
// value that works.
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';

it.each<[Record<string, string>, object]>([
  [{}, { rateLimits: 1, trustedProxies: [], corsOrigins: [], logOrigin: 'localhost/audit/log' }],
  [{ RATE_LIMITS: 'off' }, { rateLimits: undefined }],
  [{ RATE_LIMITS: '0.5' }, { rateLimits: 0.5 }],
  [{ RATE_LIMITS: '20' }, { rateLimits: 20 }],
  [
    { TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,::1,fd00::/8' },
    { trustedProxies: ['loopback', '10.0.0.0/8', '::1', 'fd00::/8'] },
  ],
  [{ CORS_ORIGINS: 'https://app.example.org' }, { corsOrigins: ['https://app.example.org'] }],
  [{ CORS_ORIGINS: 'http://localhost:5173, https://a.b' }, { corsOrigins: ['http://localhost:5173', 'https://a.b'] }],
  [{ PUBLIC_URL: 'http://localhost:3000' }, { publicUrl: 'http://localhost:3000' }],
  [{ PUBLIC_URL: 'https://[::1]:8443' }, { publicUrl: 'https://[::1]:8443' }],
  [
    { PUBLIC_URL: 'https://protocols.example.org' },
    { publicUrl: 'https://protocols.example.org', logOrigin: 'protocols.example.org/audit/log' },
  ],
  [{ PUBLIC_URL: 'https://Protocols.example.org:443' }, { logOrigin: 'protocols.example.org/audit/log' }],
  [{ PUBLIC_URL: 'https://protocols.example.org:8443' }, { logOrigin: 'protocols.example.org:8443/audit/log' }],
  [{ LOG_ORIGIN: 'hospital.example' }, { logOrigin: 'hospital.example/audit/log' }],
  [{ LOG_ORIGIN: 'hospital.example', PUBLIC_URL: 'https://a.b' }, { logOrigin: 'hospital.example/audit/log' }],
])('%j sets %j', (environment, expected) => expect(readConfig(environment)).toMatchObject(expected));

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  RATE_LIMITS: ['on', '-1', '0', '0.0', '1e3', '1,5', '10000000', ' '],
  TRUSTED_PROXIES: [
    ...['all', '*', 'proxy.example.org', '10.0.0.0/33', '10.0.0.0/0', '10.0.0/8', 'loopback,', '::1/129', '1.1.1.1/a'],
    '10.0.0.0/8/8',
  ],
  CORS_ORIGINS: [
    ...['*', 'null', 'app.example.org', 'https://app.example.org/', 'https://a.b/c', 'https://*.a.b', 'https://A.b'],
    ...['https://a.b:443', 'ftp://a.b', 'https://u@a.b', 'https://a.b,', 'https://a.b?c'],
  ],
  PUBLIC_URL: [
    ...['protocols.example.org', 'ftp://a.b', 'https://a.b/', 'https://a.b/c', 'https://a.b?c', 'https://a.b#c'],
    // Tokens name the URL as their issuer.
    ...['https://ana:canary@a.b', 'https://a b', 'https://a.b:port'],
  ],
  LOG_ORIGIN: ['two words', 'a+b', 'a\tb', 'a\nb', 'a\u0000b', 'a\u00a0b', 'https://a.b', 'a/b', 'x'.repeat(201)],
};

describe('a value that stops the start', () => {
  it.each(Object.entries(REFUSED).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    '%s=%j',
    (name, value) => {
      const read = () => readConfig({ [name]: value });
      expect(read).toThrow(ConfigurationError);
      expect(read).toThrow(new RegExp(`^${name}: [^\\n@]*for example [^\\n@]*$`));
    },
  );
});
