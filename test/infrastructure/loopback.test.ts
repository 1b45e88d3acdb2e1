import { expect, it } from 'vitest';
import { isLoopback } from '../../src/infrastructure/loopback.js';

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])('%s is this machine', (host) =>
  expect(isLoopback(host)).toBe(true),
);

it.each([
  '0.0.0.0',
  '::',
  '192.0.2.1',
  'localhost.example.org',
  '127.0.0.1.example.org',
  '127.999.999.999',
  '[::1',
  '',
])('%s is not known to be this machine', (host) => expect(isLoopback(host)).toBe(false));
