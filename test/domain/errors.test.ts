import { expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';

it('an error of the domain shows its name and its code where it is logged', () =>
  expect(String(new DomainError('user-erased', { userId: 'u1' }))).toBe('DomainError: user-erased'));
