import { pino } from 'pino';
import { expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { serializers } from '../../src/infrastructure/log.js';

const lineOf = (error: unknown): string => {
  const lines: string[] = [];
  pino({ serializers }, { write: (line: string) => void lines.push(line) }).error({ err: error }, 'it failed');
  return lines.join('');
};

it('a line has only the type, message, stack and code of an error, and no member that a library added', () => {
  const cause = Object.assign(new Error('the connection broke'), { query: 'canary' });
  const error = Object.assign(new TypeError('refused', { cause }), {
    code: 'EREFUSED',
    command: { name: 'set', args: ['canary'] },
    response: 'canary',
  });
  const line = lineOf(error);
  const { err } = JSON.parse(line) as { readonly err: Readonly<Record<string, string>> };
  expect(Object.keys(err).toSorted()).toEqual(['code', 'message', 'stack', 'type']);
  expect(err).toMatchObject({ type: 'TypeError', message: 'refused: the connection broke', code: 'EREFUSED' });
  expect(err['stack']).toContain('log.test.ts');
  expect(line).not.toContain('canary');
});

it('a line names what is wrong with an unavailable store once, without a stack', () => {
  const { err } = JSON.parse(lineOf(new StoreUnavailable('the vault', new Error('database or disk is full'))));
  expect(err).toEqual({ type: 'StoreUnavailable', message: 'the vault cannot be used: database or disk is full' });
});
