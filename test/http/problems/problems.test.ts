import { expect, it } from 'vitest';
import { AdministratorsLocked } from '../../../src/commands/context.js';
import { problemOf } from '../../../src/http/problems/problems.js';

it('a decision that must wait for another administrator is 503 and may be repeated after 5 seconds', () => {
  const { status, code, headers } = problemOf(new AdministratorsLocked());
  expect({ status, code, headers }).toEqual({ status: 503, code: 'too-contended', headers: { 'Retry-After': '5' } });
});
