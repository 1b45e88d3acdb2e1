// Where what another user has stands in a request that registers a user.
import { DomainError } from '../domain/errors.js';

/** Rejects with the error, a refused e-mail being named where this request carries it: in `auth`. */
export const inAuth = (error: unknown): never => {
  if (!(error instanceof DomainError) || !('errors' in error.details)) throw error;
  const { code, details } = error as DomainError<'user-taken'>;
  const errors = details.errors.map((each) => (each.path[0] === 'email' ? { ...each, path: ['auth', 'email'] } : each));
  throw new DomainError(code, { errors });
};
