// `npm run cli -- admin create`: creates an administrator on behalf of the operator. A service gets its first
// administrator this way.
import { validate as isUuid } from 'uuid';
import type { AllStores } from '../infrastructure/stores.js';
import { type Candidate, promote, userOfCandidate } from '../operations/administrators.js';
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

export const createAdministrator = async (stores: AllStores, options: AdministratorOptions): Promise<void> => {
  const wanted = wantedBy(options);
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const { userId, is } =
    'userId' in wanted
      ? ({ ...wanted, is: 'known' } as const)
      : await userOfCandidate(service, { ...wanted, password: await readPassword() }, operatorContext);
  if (is === 'of-another-password') {
    throw new Error(
      `User ${userId} has this e-mail address but another password, so nothing was changed. Find out who the user is. To promote this user, pass --user ${userId}.`,
    );
  }
  const isEnabled = await promote(service, userId, operatorContext);
  console.log(`user ${userId} is an administrator${is === 'new' ? '' : '; name and password are unchanged'}`);
  if (!isEnabled)
    console.log('this user is disabled and cannot sign in; enable the user with PUT /users/{id} {"enabled": true}');
};

type Wanted = { readonly userId: string } | Omit<Candidate, 'password'>;

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
const namesOf = (email: string, { name, firstName, lastName }: Names) => {
  const [mailbox = email] = email.split('@');
  if (name === undefined) return { firstName: firstName ?? mailbox, lastName: lastName ?? '(administrator)' };
  const [first = '', ...rest] = name.trim().split(/\s+/);
  if (rest.length > 0 && firstName === undefined && lastName === undefined) {
    return { firstName: first, lastName: rest.join(' ') };
  }
  throw new Error('Pass either --name "FIRST LAST", or --first-name and --last-name.');
};
