// `npm run cli -- admin create`: creates an administrator on behalf of the operator. A service gets its first
// administrator this way.
import { validate as isUuid } from 'uuid';
import { EmailAndPassword, registerUser } from '../auth/registration.js';
import { ownerOf } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { activeUserOf, rolesOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import type { AllStores } from '../infrastructure/stores.js';
import { Progress } from '../projections/progress.js';
import { type Service, serviceOf } from '../service.js';
import { operatorContext } from './operator.js';
import { readPassword } from './password.js';

const REASON = 'made an administrator by the operator';

interface AdministratorOptions {
  readonly email?: string;
  readonly user?: string;
  readonly name?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/** Creates an administrator. A step that is already done is skipped, so running the command again completes it. */
export const createAdministrator = async (stores: AllStores, options: AdministratorOptions): Promise<void> => {
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const { userId, isNew } = await userFor(service, wantedBy(options));
  const profileId = await profileOf(service, userId);
  // Somebody else's approval keeps its reason.
  const isApproved = rolesOf((await service.streams.load(user, userId)).state).includes('ADMINISTRATOR');
  const data = { profileId, reason: isApproved ? null : REASON };
  await service.handle(user, userId, { type: 'ApproveProfile', data }, operatorContext());
  // The operator also vouches for the contact address.
  await service.handle(user, userId, { type: 'Activate', data: {} }, operatorContext());
  const { enabled } = activeUserOf((await service.streams.load(user, userId)).state);
  console.log(`user ${userId} is an administrator${isNew ? '' : '; name and password are unchanged'}`);
  if (!enabled)
    console.log('this user is disabled and cannot sign in; enable the user with PUT /users/{id} {"enabled": true}');
};

/** Returns the user to promote: the given user, or the user with the e-mail address, who is registered if necessary. */
const userFor = async (service: Service, wanted: Wanted) => {
  if ('userId' in wanted) return { userId: wanted.userId, isNew: false };
  const password = await readPassword();
  const known = await ownerOf(service, user, { kind: 'user-email', value: comparableEmail(wanted.email) });
  if (known === undefined) return { userId: await registered(service, wanted, password), isNew: true };
  // Anyone can sign up with someone else's address, and must not get that person's rights.
  if (await service.passwords.verify(known, password)) return { userId: known, isNew: false };
  throw new Error(
    `User ${known} has this e-mail address but another password, so nothing was changed. Find out who the user is. To promote this user, pass --user ${known}.`,
  );
};

type Wanted = Administrator | { readonly userId: string };

interface Administrator {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

const registered = async (service: Service, { email, ...names }: Administrator, typed: string): Promise<string> => {
  const auth = checked({ email, password: typed });
  const data = { ...names, email: auth.email, acceptedTerms: false, profiles: [{ type: 'ADMINISTRATOR' }] };
  const command = user.commands.RegisterUser.parse(data);
  const { id } = await registerUser(service, { data: command, password: auth.password }, operatorContext());
  return id;
};

/** Returns the id of the user's administrator profile, which is added if necessary. */
const profileOf = async (service: Service, userId: string): Promise<string> => {
  const { state } = await service.streams.load(user, userId);
  const known = activeUserOf(state).profiles.find(({ type }) => type === 'ADMINISTRATOR');
  if (known !== undefined) return known.id;
  const data = user.commands.AddProfile.parse({ type: 'ADMINISTRATOR' });
  const added = await service.handle(user, userId, { type: 'AddProfile', data }, operatorContext());
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

const wantedBy = ({ email, user: userId, ...names }: AdministratorOptions): Wanted => {
  if (userId !== undefined && isUuid(userId) && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) return { email, ...namesOf(email, names) };
  throw new Error(
    'Pass --email ADDRESS and --name NAME to create an administrator (the password comes from the prompt or standard input), or --user ID, an id of 36 characters, to promote an existing user.',
  );
};

type Names = Pick<AdministratorOptions, 'name' | 'firstName' | 'lastName'>;

/**
 * Returns the name of a new administrator. By default, it is the mailbox, which identifies them in the audit trail, and
 * a last name that says what they are.
 */
const namesOf = (email: string, { name, firstName, lastName }: Names): Omit<Administrator, 'email'> => {
  const [mailbox = email] = email.split('@');
  if (name === undefined) return { firstName: firstName ?? mailbox, lastName: lastName ?? '(administrator)' };
  const [first = '', ...rest] = name.trim().split(/\s+/);
  if (rest.length > 0 && firstName === undefined && lastName === undefined) {
    return { firstName: first, lastName: rest.join(' ') };
  }
  throw new Error('Pass either --name "FIRST LAST", or --first-name and --last-name.');
};
