import { describe, expect, it } from 'vitest';
import { pageAfterSignIn } from '../../console/src/layout/next.js';

const ORIGIN = 'https://clinic.example';
const pageOf = (next: string | null) => pageAfterSignIn(next, ORIGIN);

describe('the page after a sign-in', () => {
  it.each([
    ['/console/', '/console/'],
    ['/console/account/data', '/console/account/data'],
    ['/console/approvals?tab=waiting', '/console/approvals?tab=waiting'],
    ['/admin/queues', '/admin/queues'],
    [`${ORIGIN}/console/account`, '/console/account'],
    ['/console/people/../account', '/console/account'],
    // A fragment belongs to a script, and no page of the console has one.
    ['/console/account#here', '/console/account'],
  ])('may be %s', (next, page) => expect(pageOf(next)).toBe(page));

  it.each([
    null,
    '',
    '/',
    '/console',
    '/consolex/',
    '/api/sign-out',
    '/admin/queues/jobs',
    'https://evil.example/console/',
    'http://clinic.example/console/',
    'https://clinic.example:8443/console/',
    'https://clinic.example@evil.example/console/',
    'https://clinic.example.evil.example/console/',
    '//evil.example/console/',
    '///evil.example/console/',
    '/\\evil.example/console/',
    '\\\\evil.example/console/',
    '\t//evil.example/console/',
    '/\t/evil.example/console/',
    'https:evil.example/console/',
    'javascript:alert(1)//console/',
    'data:text/html,/console/',
    'blob:https://clinic.example/console/',
    '/console/../api/sign-out',
    '/console/%2e%2e/api/sign-out',
    '/console/..\\api/sign-out',
    '/console//evil.example',
    '/console/\\evil.example',
    '/console/x//evil.example',
    '%2F%2Fevil.example%2Fconsole%2F',
    'https://[',
  ])('is not %j', (next) => expect(pageOf(next)).toBeUndefined());
});
