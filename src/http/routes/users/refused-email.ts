// Points at the e-mail where a request that registers a user carries it.
import { DomainError } from '../../../domain/errors.js';

/** Rejects with the error. A fault of the e-mail then points at `/auth/email`, its place in the request. */
export const pointAtAuthEmail = (error: unknown): never => {
  if (!(error instanceof DomainError) || !('errors' in error.details)) throw error;
  const { code, details } = error as DomainError<'user-taken'>;
  const errors = details.errors.map((each) => (each.path[0] === 'email' ? { ...each, path: ['auth', 'email'] } : each));
  throw new DomainError(code, { errors });
};
