// `npm run cli -- admin create`: makes an administrator, approved by the operator. It is how the first one comes to be.
import { parseArgs } from 'node:util';
import { validate as isUuid } from 'uuid';
import { registerUser } from '../auth/registration.js';
import { operatorContext } from '../commands/operator.js';
import { ownerOf } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/contact.js';
import { user } from '../domain/user.js';
import { activeUserOf } from '../domain/user-state.js';
import { pointerTo } from '../http/problems.js';
import { type Service, serviceOf } from '../http/service.js';
import { Doctor } from '../http/user-schemas.js';
import { Progress } from '../projections/progress.js';
import type { AllStores } from '../stores.js';
import type { Commands } from './command.js';
import { readPassword } from './password.js';
import { UsageError } from './usage-error.js';

const REASON = 'made an administrator by the operator';

// Each part may be done already: what was cut off before is completed by saying it again.
const create = async (stores: AllStores, ...given: readonly (string | undefined)[]): Promise<void> => {
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const { userId, isNew } = await userFor(service, optionsIn(given));
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
  const { data, error } = Doctor.shape.auth.safeParse(sent);
  if (data !== undefined) return data;
  throw new UsageError(error.issues.map(({ path, message }) => `${pointerTo(path).slice(1)}: ${message}`).join('\n'));
};

const OPTIONS = {
  email: { type: 'string' },
  user: { type: 'string' },
  'first-name': { type: 'string', default: 'First' },
  'last-name': { type: 'string', default: 'Administrator' },
} as const;

const optionsIn = (given: readonly (string | undefined)[]): Wanted => {
  const { email, user: userId, 'first-name': firstName, 'last-name': lastName } = valuesIn(given);
  if (userId !== undefined && isUuid(userId) && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) return { email, firstName, lastName };
  throw new UsageError(
    'say whom: by --email ADDRESS, and the password is asked for, or read from standard input; or, of those who are users, by --user ID',
  );
};

const valuesIn = (given: readonly (string | undefined)[]) => {
  try {
    return parseArgs({ args: given.filter((word) => word !== undefined), options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

/** The commands on administrators. */
export const adminCommands: Commands = {
  'admin create': {
    usage: 'admin create --email ADDRESS | --user ID',
    purpose: 'makes an administrator, or makes a user one; the password comes from the terminal or standard input',
    run: create,
  },
};
