// Tests the variables for limits, proxies and other origins: their results, and the values that stop the start.
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';

const settings = (environment: Record<string, string>) => readConfig(environment);

it('are unscaled limits, no proxies and no origins by default', () =>
  expect(settings({})).toMatchObject({ rateLimits: 1, trustedProxies: [], corsOrigins: [] }));

it.each<[Record<string, string>, object]>([
  [{ RATE_LIMITS: 'off' }, { rateLimits: undefined }],
  [{ RATE_LIMITS: '0.5' }, { rateLimits: 0.5 }],
  [{ RATE_LIMITS: '20' }, { rateLimits: 20 }],
  [
    { TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,::1,fd00::/8' },
    { trustedProxies: ['loopback', '10.0.0.0/8', '::1', 'fd00::/8'] },
  ],
  [{ CORS_ORIGINS: 'https://app.example.org' }, { corsOrigins: ['https://app.example.org'] }],
  [{ CORS_ORIGINS: 'http://localhost:5173, https://a.b' }, { corsOrigins: ['http://localhost:5173', 'https://a.b'] }],
])('%j is %j', (environment, expected) => expect(settings(environment)).toMatchObject(expected));

describe('a value that stops the start, with the name of the variable and a value that works', () => {
  it.each([
    ...['on', '-1', '0', '0.0', '1e3', '1,5', '10000000', ' '].map((value) => ['RATE_LIMITS', value]),
    ...[
      'all',
      '*',
      'proxy.example.org',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '10.0.0/8',
      'loopback,',
      '::1/129',
      '1.1.1.1/a',
      '10.0.0.0/8/8',
    ].map((value) => ['TRUSTED_PROXIES', value]),
    ...[
      '*',
      'null',
      'app.example.org',
      'https://app.example.org/',
      'https://a.b/c',
      'https://*.a.b',
      'https://A.b',
      'https://a.b:443',
      'ftp://a.b',
      'https://u@a.b',
      'https://a.b,',
      'https://a.b?c',
    ].map((value) => ['CORS_ORIGINS', value]),
  ])('%s=%s', (name = '', value = '') => {
    expect(() => settings({ [name]: value })).toThrow(ConfigurationError);
    expect(() => settings({ [name]: value })).toThrow(new RegExp(`^${name}: .*for example`));
  });
});
