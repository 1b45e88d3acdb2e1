// Maps faults of the e-mail to its place in requests that register a user.
import { DomainError } from '../../../domain/errors.js';

/** Throws the error. Faults of the e-mail point at `/auth/email`, its place in the request. */
export const pointAtAuthEmail = (error: unknown): never => {
  if (!(error instanceof DomainError) || !('errors' in error.details)) throw error;
  const { code, details } = error as DomainError<'user-taken'>;
  const errors = details.errors.map((each) => (each.path[0] === 'email' ? { ...each, path: ['auth', 'email'] } : each));
  throw new DomainError(code, { errors });
};
