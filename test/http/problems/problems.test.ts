import { describe, expect, it } from 'vitest';
import { LogBehind } from '../../../src/audit/evidence.js';
import { TooManyPasswords } from '../../../src/auth/passwords/passwords.js';
import { Refused } from '../../../src/auth/refused.js';
import { AnalysisBusy } from '../../../src/commands/analyses.js';
import { ActorRefused, AdministratorsLocked, PreconditionFailed, TooContended } from '../../../src/commands/context.js';
import { WalksBusy } from '../../../src/commands/walks.js';
import { DomainError } from '../../../src/domain/errors.js';
import { headersOf, Problem, problemDocument, problemOf } from '../../../src/http/problems/problems.js';
import { AppendTooLarge, PersonalKeyMissing, StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import { Overloaded } from '../../../src/infrastructure/pace.js';
import { ErasureUnfinished } from '../../../src/operations/erase-user.js';

const unknown = Object.assign(new Error('a secret'), { status: 418 });
const failures: readonly (readonly [error: unknown, code: string, status: number, retryAfter?: string])[] = [
  [new Problem('route-not-found'), 'route-not-found', 404],
  [new ActorRefused(new Problem('token-refused')), 'token-refused', 401],
  [new PreconditionFailed(3), 'revision-mismatch', 412],
  [new AppendTooLarge(2_000_000), 'too-large', 413],
  [new PersonalKeyMissing('an id'), 'personal-key-missing', 503, '30'],
  [new ErasureUnfinished('an id'), 'erasure-unfinished', 503, '5'],
  [new AdministratorsLocked(), 'too-contended', 503, '5'],
  [new TooContended('a stream'), 'too-contended', 503, '1'],
  [new TooManyPasswords(), 'too-many-passwords', 503, '2'],
  [new WalksBusy(), 'busy', 503, '5'],
  [new Overloaded(), 'overloaded', 503, '1'],
  [new AnalysisBusy(), 'analysis-busy', 429, '2'],
  [new LogBehind({ stream: 'user-1', revision: 0 } as RecordedEvent), 'log-behind', 503, '5'],
  [new StoreUnavailable('the vault', new Error('a secret')), 'store-unavailable', 503, '5'],
  [{ status: 400 }, 'malformed-request', 400],
  [{ status: 412 }, 'revision-mismatch', 412],
  [{ status: 416 }, 'range-not-satisfiable', 416],
  [unknown, 'internal-error', 500],
  [undefined, 'internal-error', 500],
];

describe('the problem of a failure', () => {
  it.each(failures)('%s is %s', (error, code, status, retryAfter) => {
    const problem = problemOf(error);
    expect(problem).toMatchObject({ name: 'Problem', code, status, errors: [], isCut: false, extensions: {} });
    expect(problem.headers).toEqual(retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
    expect(problemDocument(problem, 'id', false)).not.toContain('a secret');
  });

  it('of a refused sign-in says when to retry, if a retry may succeed', () => {
    const late = problemOf(new Refused('too-many-codes', 30, { limit: 'ADDRESS' }));
    expect([late.status, late.headers, late.extensions]).toEqual([429, { 'Retry-After': '30' }, { limit: 'ADDRESS' }]);
    expect(problemOf(new Refused('code-refused')).headers).toEqual({});
  });

  it('of the domain has its details, or its errors as those of the body', () => {
    expect(problemOf(new DomainError('protocol-not-found', { id: '1' })).extensions).toEqual({ id: '1' });
    const error = { path: ['options', 0], code: 'blank', message: 'is blank' } as const;
    expect(problemOf(new DomainError('fields-refused', { errors: [error] })).errors).toEqual([
      { pointer: '/options/0', code: 'blank', message: 'is blank' },
    ]);
  });
});

describe('the headers of a problem', () => {
  it('name a way to sign in with 401 only, unless the problem names another', () => {
    expect(headersOf(new Problem('sign-in-required'))).toEqual({ 'WWW-Authenticate': 'Bearer' });
    const own = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
    expect(headersOf(new Problem('token-refused', { headers: own }))).toEqual(own);
    expect(headersOf(new Problem('route-not-found'))).toEqual({});
  });
});

describe('the document of a problem', () => {
  it('has its kind, the occurrence, its details and its errors', () => {
    const error = { parameter: 'limit', code: 'too-big', message: 'must be at most 200' } as const;
    const problem = new Problem('fields-refused', { errors: [error], extensions: { knownParameters: ['limit'] } });
    expect(JSON.parse(problemDocument(problem, 'an id', false))).toEqual({
      type: 'urn:clinical-protocols:problem:fields-refused',
      title: expect.any(String),
      status: 400,
      detail: expect.any(String),
      instance: 'urn:uuid:an id',
      code: 'fields-refused',
      knownParameters: ['limit'],
      errors: [error],
    });
    expect(JSON.parse(problemDocument(new Problem('route-not-found'), 'an id', false))).not.toHaveProperty('errors');
  });

  it('says that nothing was stored, but not to a request that only reads', () => {
    const detail = (isRead: boolean): string =>
      JSON.parse(problemDocument(new Problem('overloaded'), 'an id', isRead)).detail;
    expect(detail(false)).toMatch(/^Nothing was stored\. Retry/);
    expect(`Nothing was stored. ${detail(true)}`).toBe(detail(false));
    const other = (isRead: boolean) => problemDocument(new Problem('route-not-found'), 'an id', isRead);
    expect(other(true)).toBe(other(false));
  });
});
