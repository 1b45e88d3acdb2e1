// Creates administrators on behalf of the operator. A service gets its first administrator this way.
import type { AuthParts } from '../auth/parts.js';
import { EmailAndPassword, registerUser } from '../auth/registration.js';
import type { CommandContext } from '../commands/context.js';
import { ownerOf } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { activeUserOf, rolesOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';

const REASON = 'made an administrator by the operator';

/** A new administrator, or a user who becomes one. */
export type Wanted =
  | { readonly userId: string }
  | { readonly email: string; readonly firstName: string; readonly lastName: string; readonly password: string };

type Parts = Pick<AuthParts, 'handle' | 'passwords' | 'streams' | 'claims'>;

interface Found {
  readonly userId: string;
  readonly isNew: boolean;
}

/** The user who has the e-mail address and another password. Nothing was changed. */
interface Other {
  readonly othersUserId: string;
}

export type MadeAdministrator = (Found & { readonly isEnabled: boolean }) | Other;

/** Makes an administrator. Skips a step that is already done, so running the operation again completes it. */
export const makeAdministrator = async (
  parts: Parts,
  wanted: Wanted,
  context: () => CommandContext,
): Promise<MadeAdministrator> => {
  const found = await userFor(parts, wanted, context);
  if ('othersUserId' in found) return found;
  const { userId } = found;
  const profileId = await profileOf(parts, userId, context);
  // Somebody else's approval keeps its reason.
  const isApproved = rolesOf((await parts.streams.load(user, userId)).state).includes('ADMINISTRATOR');
  const data = { profileId, reason: isApproved ? null : REASON };
  await parts.handle(user, userId, { type: 'ApproveProfile', data }, context());
  // The operator also vouches for the contact address.
  await parts.handle(user, userId, { type: 'Activate', data: {} }, context());
  const { enabled } = activeUserOf((await parts.streams.load(user, userId)).state);
  return { ...found, isEnabled: enabled };
};

/** Returns the user to promote: the given user, or the user with the e-mail address, who is registered if necessary. */
const userFor = async (parts: Parts, wanted: Wanted, context: () => CommandContext): Promise<Found | Other> => {
  if ('userId' in wanted) return { userId: wanted.userId, isNew: false };
  const { password, ...person } = wanted;
  const known = await ownerOf(parts, user, { kind: 'user-email', value: comparableEmail(person.email) });
  // Anyone can sign up with someone else's address, and must not get that person's rights.
  if (known !== undefined && !(await parts.passwords.verify(known, password))) return { othersUserId: known };
  if (known !== undefined) return { userId: known, isNew: false };
  const auth = checked({ email: person.email, password });
  const sent = { ...person, email: auth.email, acceptedTerms: false, profiles: [{ type: 'ADMINISTRATOR' }] };
  const data = user.commands.RegisterUser.parse(sent);
  const { id } = await registerUser(parts, { data, password: auth.password }, context());
  return { userId: id, isNew: true };
};

/** Returns the id of the user's administrator profile, which is added if necessary. */
const profileOf = async (parts: Parts, userId: string, context: () => CommandContext): Promise<string> => {
  const { state } = await parts.streams.load(user, userId);
  const known = activeUserOf(state).profiles.find(({ type }) => type === 'ADMINISTRATOR');
  if (known !== undefined) return known.id;
  const data = user.commands.AddProfile.parse({ type: 'ADMINISTRATOR' });
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
