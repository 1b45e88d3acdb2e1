// `npm run cli -- admin create`: creates an administrator on behalf of the operator. A service gets its first
// administrator this way.
import { validate as isUuid } from 'uuid';
import type { AllStores } from '../infrastructure/stores.js';
import { makeAdministrator, type Wanted } from '../operations/administrators.js';
import { Progress } from '../projections/progress.js';
import { serviceOf } from '../service.js';
import { operatorContext } from './operator.js';
import { readPassword } from './password.js';

interface AdministratorOptions {
  readonly email?: string;
  readonly user?: string;
  readonly name?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/** Creates an administrator. */
export const createAdministrator = async (stores: AllStores, options: AdministratorOptions): Promise<void> => {
  const wanted = await wantedBy(options);
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const made = await makeAdministrator(service, wanted, operatorContext);
  if ('othersUserId' in made) {
    throw new Error(
      `User ${made.othersUserId} has this e-mail address but another password, so nothing was changed. Find out who the user is. To promote this user, pass --user ${made.othersUserId}.`,
    );
  }
  console.log(`user ${made.userId} is an administrator${made.isNew ? '' : '; name and password are unchanged'}`);
  if (!made.isEnabled)
    console.log('this user is disabled and cannot sign in; enable the user with PUT /users/{id} {"enabled": true}');
};

const wantedBy = async ({ email, user: userId, ...names }: AdministratorOptions): Promise<Wanted> => {
  if (userId !== undefined && isUuid(userId) && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) {
    return { email, ...namesOf(email, names), password: await readPassword() };
  }
  throw new Error(
    'Pass --email ADDRESS and --name NAME to create an administrator (the password comes from the prompt or standard input), or --user ID, an id of 36 characters, to promote an existing user.',
  );
};

type Names = Pick<AdministratorOptions, 'name' | 'firstName' | 'lastName'>;

/**
 * Returns the name of a new administrator. By default, it is the mailbox, which identifies them in the audit trail, and
 * a last name that says what they are.
 */
const namesOf = (email: string, { name, firstName, lastName }: Names) => {
  const [mailbox = email] = email.split('@');
  if (name === undefined) return { firstName: firstName ?? mailbox, lastName: lastName ?? '(administrator)' };
  const [first = '', ...rest] = name.trim().split(/\s+/);
  if (rest.length > 0 && firstName === undefined && lastName === undefined) {
    return { firstName: first, lastName: rest.join(' ') };
  }
  throw new Error('Pass either --name "FIRST LAST", or --first-name and --last-name.');
};
