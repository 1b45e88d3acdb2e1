import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { RightMissing, StoreUnavailable } from '../../src/infrastructure/errors.js';
import { hooksOf, type StoreFailure, serializers } from '../../src/infrastructure/log.js';
import { AllRefused, NotSent } from '../../src/infrastructure/notifier/notifier.js';
import { Final, Later } from '../../src/infrastructure/work/work.js';

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

it.each([new NotSent('451'), new AllRefused('535'), new Final('550'), new Later('no reply', 1)])(
  'a line about %s has no stack',
  (error) => {
    const { err } = JSON.parse(lineOf(error));
    expect(err).toEqual({ type: error.constructor.name, message: error.message });
  },
);

describe('a line about a failed call of an engine', () => {
  const gone = new StoreUnavailable('the vault', new Error('gone'));
  const refused = new RightMissing('the vault', 'the user may not read', new Error('no'));
  const logged = (write: (log: ReturnType<typeof pino>) => void, isTaken = true) => {
    const lines: string[] = [];
    const takes = vi.fn<(failure: StoreFailure) => boolean>(() => isTaken);
    const flush = vi.fn<() => void>();
    write(pino({ level: 'debug', hooks: hooksOf(takes, flush) }, { write: (line: string) => void lines.push(line) }));
    return {
      lines: lines.length,
      flushes: flush.mock.calls.length,
      taken: takes.mock.calls.map(([failure]) => failure),
    };
  };

  it('is left to the one that takes the failure, with what the line has beside the error', () => {
    const written = logged((log) => log.warn({ err: gone, projection: 'users' }, 'it failed'));
    const reason = 'the vault cannot be used: gone';
    const failure = { store: 'the vault', reason, lacksRight: false, level: 'warn', about: { projection: 'users' } };
    expect(written).toEqual({ lines: 0, flushes: 0, taken: [{ ...failure, text: 'it failed' }] });
    expect(logged((log) => log.error({ err: refused }, 'it failed')).taken).toMatchObject([
      { level: 'error', lacksRight: true },
    ]);
  });

  it('is written at once if nobody takes it', () =>
    expect(logged((log) => log.warn({ err: gone }, 'it failed'), false)).toMatchObject({ lines: 1, flushes: 1 }));

  it.each<[string, (log: ReturnType<typeof pino>) => void, number]>([
    ['has no error', (log) => log.warn('it failed'), 1],
    ['has another error', (log) => log.error({ err: new Error('no') }, 'it failed'), 1],
    ['is about a closed store', (log) => log.warn({ err: new StoreUnavailable('the vault', 'it is closed') }, 'no'), 1],
    ['is no warning', (log) => log.info({ err: gone }, 'it failed'), 0],
  ])('is written as it is if it %s', (_, write, flushes) =>
    expect(logged(write)).toEqual({ lines: 1, flushes, taken: [] }),
  );
});
