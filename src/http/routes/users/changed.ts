// The responses to requests that change a user and send the user a message.
import type { ChangedUser } from '../../../auth/contact-changes.js';
import { DomainError } from '../../../domain/errors.js';
import { userOf } from '../../../domain/user/state.js';
import { writeResult } from '../../route/context.js';
import type { RouteResult } from '../../route/route.js';

/** Returns the response to a change. It says whether a quota withheld the message. */
export const changedUser = ({ outcome, isMessageWithheld }: ChangedUser): RouteResult => ({
  ...writeResult(outcome, userOf(outcome.state)),
  ...(isMessageWithheld && { headers: { 'Message-Withheld': 'quota' } }),
});

/** Returns the response to a registration. Faults of the e-mail point at `/auth/email`, its place in the request. */
export const registeredUser = async (registering: Promise<ChangedUser>): Promise<RouteResult> => {
  const changed = await registering.catch(pointAtAuthEmail);
  return { ...changedUser(changed), location: `/users/${changed.outcome.id}` };
};

const pointAtAuthEmail = (error: unknown): never => {
  if (!(error instanceof DomainError) || !('errors' in error.details)) throw error;
  const { code, details } = error as DomainError<'user-taken'>;
  const errors = details.errors.map((each) => (each.path[0] === 'email' ? { ...each, path: ['auth', 'email'] } : each));
  throw new DomainError(code, { errors });
};
