// The responses to requests that change users.
import type { ChangedUser } from '../../../auth/contact-changes.js';
import { namedUser, presentInstitutions } from '../../../commands/attachment-names.js';
import type { Outcome } from '../../../commands/handle-command.js';
import type { Streams } from '../../../commands/streams.js';
import { DomainError } from '../../../domain/errors.js';
import { type User, userOf } from '../../../domain/user/state.js';
import { shownOf, writeResult } from '../../route/context.js';
import type { Shown, WriteResult } from '../../route/route.js';

/** Returns the response to a write that shows a user, with the present names of institutions and unities. */
export const userResult = async (
  streams: Streams,
  outcome: Outcome<User>,
  load = presentInstitutions(streams),
): Promise<WriteResult & { readonly made: Shown }> => {
  const shown = await namedUser(userOf(outcome.state), load);
  const revisions = shown.institutions.map(async ({ id }) => [id, (await load(id)).revision] as const);
  const institutions = Object.fromEntries(await Promise.all(revisions));
  return { ...writeResult(outcome, shown), made: { ...shownOf(outcome, shown), institutions } };
};

/** Returns the response to a change. It says whether a quota withheld the message. */
export const changedUser = async (streams: Streams, { outcome, isMessageWithheld }: ChangedUser) => ({
  ...(await userResult(streams, outcome)),
  ...(isMessageWithheld && { headers: { 'Message-Withheld': 'quota' } }),
});

/** Returns the response to a registration. Faults of the e-mail point at `/auth/email`, its place in the request. */
export const registeredUser = async (streams: Streams, registering: Promise<ChangedUser>): Promise<WriteResult> => {
  const changed = await registering.catch(pointAtAuthEmail);
  return { ...(await changedUser(streams, changed)), location: `/users/${changed.outcome.id}` };
};

const pointAtAuthEmail = (error: unknown): never => {
  if (!(error instanceof DomainError) || !('errors' in error.details)) throw error;
  const { code, details } = error as DomainError<'user-taken'>;
  const errors = details.errors.map((each) => (each.path[0] === 'email' ? { ...each, path: ['auth', 'email'] } : each));
  throw new DomainError(code, { errors });
};
