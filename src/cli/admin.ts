// `npm run cli -- admin create`: makes an administrator, approved by the operator. It is how the first one comes to be.
import { validate as isUuid } from 'uuid';
import { EmailAndPassword, registerUser } from '../auth/registration.js';
import { ownerOf } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { activeUserOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { Progress } from '../projections/progress.js';
import { type Service, serviceOf } from '../service.js';
import type { AllStores } from '../stores.js';
import { operatorContext } from './operator.js';
import { readPassword } from './password.js';
import { UsageError } from './usage-error.js';

const REASON = 'made an administrator by the operator';

/** The options of the command. */
export interface AdministratorOptions {
  readonly email?: string;
  readonly user?: string;
  readonly name?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/** Makes an administrator. Each part may be done already: the same command again completes what was cut off. */
export const createAdministrator = async (stores: AllStores, options: AdministratorOptions): Promise<void> => {
  await stores.format.claim();
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const { userId, isNew } = await userFor(service, wantedBy(options));
  const profileId = await profileOf(service, userId);
  await service.handle(
    user,
    userId,
    { type: 'ApproveProfile', data: { profileId, reason: REASON } },
    operatorContext(),
  );
  // The operator vouches for the contact, too.
  await service.handle(user, userId, { type: 'Activate', data: {} }, operatorContext());
  const { enabled } = activeUserOf((await service.streams.load(user, userId)).state);
  console.log(`user ${userId} is an administrator${isNew ? '' : '; the password stays as it was'}`);
  if (!enabled) console.log('this user is disabled and cannot sign in: PUT /users/{id} {"enabled": true} enables it');
};

/** The user to make an administrator: the one that is named, else the one of the e-mail, registered where there is none. */
const userFor = async (service: Service, wanted: Wanted) => {
  if ('userId' in wanted) return { userId: wanted.userId, isNew: false };
  const password = await readPassword();
  const known = await ownerOf(service, user, { what: 'user-email', value: comparableEmail(wanted.email) });
  if (known === undefined) return { userId: await registered(service, wanted, password), isNew: true };
  // Whoever signs up may give the address of somebody else, whose rights they must not come by.
  if (await service.passwords.verify(known, password)) return { userId: known, isNew: false };
  throw new UsageError(
    `user ${known} has this e-mail and another password; nobody was made an administrator. Find out who it is; to make this user one, say: --user ${known}`,
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

/** The user's profile of an administrator; a new one where there is none. */
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
  throw new UsageError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
};

const wantedBy = ({ email, user: userId, ...names }: AdministratorOptions): Wanted => {
  if (userId !== undefined && isUuid(userId) && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) return { email, ...namesOf(email, names) };
  throw new UsageError(
    'Pass --email ADDRESS and --name NAME to create an administrator (the password comes from the prompt or standard input), or --user ID, an id of 36 characters, to promote an existing user.',
  );
};

type Names = Pick<AdministratorOptions, 'name' | 'firstName' | 'lastName'>;

/** Returns the name of a new administrator. Without one, the mailbox tells administrators apart in the audit trail. */
const namesOf = (email: string, { name, firstName, lastName }: Names): Omit<Administrator, 'email'> => {
  const [mailbox = email] = email.split('@');
  if (name === undefined) return { firstName: firstName ?? 'Administrator', lastName: lastName ?? mailbox };
  const [first = '', ...rest] = name.trim().split(/\s+/);
  if (rest.length > 0 && firstName === undefined && lastName === undefined) {
    return { firstName: first, lastName: rest.join(' ') };
  }
  throw new UsageError('Pass --name "FIRST LAST", or --first-name and --last-name instead of it.');
};
