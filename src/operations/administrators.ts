// Creates administrators and auditors on behalf of the operator. A service gets its first administrator this way.
import type { AuthParts } from '../auth/parts.js';
import { EmailAndPassword, registerUser } from '../auth/registration.js';
import type { CommandContext } from '../commands/context.js';
import { ownerOf } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { activeUserOf, rolesOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';

/** A role that the operator gives, and its name in sentences. */
interface Role {
  readonly type: 'ADMINISTRATOR' | 'AUDITOR';
  readonly noun: string;
}

export interface Candidate {
  readonly role: Role;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
}

type Parts = Pick<AuthParts, 'handle' | 'passwords' | 'streams' | 'claims'>;

/** Returns the user with the e-mail address and the password of a candidate, who is registered if nobody has the address. */
export const userOfCandidate = async (
  parts: Parts,
  { password, role, ...person }: Candidate,
  context: () => CommandContext,
): Promise<{ readonly userId: string; readonly is: 'new' | 'known' | 'of-another-password' }> => {
  const known = await ownerOf(parts, user, { kind: 'user-email', value: comparableEmail(person.email) });
  if (known !== undefined) {
    // Anyone can sign up with someone else's address, and must not get that person's rights.
    return { userId: known, is: (await parts.passwords.verify(known, password)) ? 'known' : 'of-another-password' };
  }
  const auth = checked({ email: person.email, password });
  const sent = { ...person, email: auth.email, acceptedTerms: false, profiles: [{ type: role.type }] };
  const data = user.commands.RegisterUser.parse(sent);
  const { id } = await registerUser(parts, { data, password: auth.password }, context());
  return { userId: id, is: 'new' };
};

interface Promotion {
  readonly userId: string;
  readonly role: Role;
}

/**
 * Gives a user a role. Skips a step that is already done, so running the operation again completes it. Returns
 * whether the user is enabled.
 */
export const promote = async (parts: Parts, given: Promotion, context: () => CommandContext): Promise<boolean> => {
  const { userId, role } = given;
  const profileId = await profileIdOf(parts, given, context);
  // Somebody else's approval keeps its reason.
  const isApproved = rolesOf((await parts.streams.load(user, userId)).state).includes(role.type);
  const data = { profileId, reason: isApproved ? null : `made an ${role.noun} by the operator` };
  await parts.handle(user, userId, { type: 'ApproveProfile', data }, context());
  // The operator also vouches for the contact address.
  await parts.handle(user, userId, { type: 'Activate', data: {} }, context());
  return activeUserOf((await parts.streams.load(user, userId)).state).enabled;
};

/** Returns the id of the user's profile of a role, which is added if necessary. */
const profileIdOf = async (parts: Parts, given: Promotion, context: () => CommandContext): Promise<string> => {
  const { userId, role } = given;
  const { state } = await parts.streams.load(user, userId);
  const known = activeUserOf(state).profiles.find(({ type }) => type === role.type);
  if (known !== undefined) return known.id;
  const data = user.commands.AddProfile.parse({ type: role.type });
  const added = await parts.handle(user, userId, { type: 'AddProfile', data }, context());
  return activeUserOf(added.state).profiles.at(-1)?.id ?? '';
};

const checked = (sent: { readonly email: string; readonly password: string }) => {
  const { data, error } = EmailAndPassword.safeParse(sent);
  if (data !== undefined) return data;
  // Only the first fault of each field, as in a response.
  const faults = error.issues.filter(
    ({ path: [field] }, at, all) => all.findIndex(({ path }) => path[0] === field) === at,
  );
  throw new Error(faults.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
};
