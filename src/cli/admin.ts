// `npm run cli -- admin create` and `auditor create`: creates a user with an approved profile on behalf of the operator. A
// service gets its first administrator this way.
import { validate as isUuid } from 'uuid';
import type { AllStores } from '../infrastructure/stores.js';
import { type Candidate, promote, userOfCandidate } from '../operations/administrators.js';
import { Progress } from '../projections/progress.js';
import { serviceOf } from '../service.js';
import type { Creatable } from './creatable.js';
import { operatorContext } from './operator.js';
import { readPassword } from './password.js';

interface CreationOptions {
  readonly email?: string;
  readonly user?: string;
  readonly name?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/** Returns the command that creates users with a role. */
export const creating = (role: Creatable) => async (stores: AllStores, options: CreationOptions) => {
  const wanted = wantedBy(options, role);
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const { userId, is } =
    'userId' in wanted
      ? ({ ...wanted, is: 'known' } as const)
      : await userOfCandidate(service, { ...wanted, role, password: await readPassword() }, operatorContext);
  if (is === 'of-another-password') {
    throw new Error(
      `User ${userId} has this e-mail address but another password, so nothing was changed. Find out who the user is. To promote this user, pass --user ${userId}.`,
    );
  }
  const isEnabled = await promote(service, { userId, role }, operatorContext);
  console.log(`user ${userId} is an ${role.noun}${is === 'new' ? '' : '; name and password are unchanged'}`);
  if (!isEnabled)
    console.log('this user is disabled and cannot sign in; enable the user with PUT /users/{id} {"enabled": true}');
};

type Wanted = { readonly userId: string } | Omit<Candidate, 'password' | 'role'>;

const wantedBy = ({ email, user: userId, ...names }: CreationOptions, { noun }: Creatable): Wanted => {
  if (userId !== undefined && isUuid(userId) && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) return { email, ...namesOf(email, names, noun) };
  throw new Error(
    `Pass --email ADDRESS and --name NAME to create an ${noun} (the password comes from the prompt or standard input), or --user ID, an id of 36 characters, to promote an existing user.`,
  );
};

type Names = Pick<CreationOptions, 'name' | 'firstName' | 'lastName'>;

/**
 * Returns the name of a new user. By default, it is the mailbox, which identifies them in the audit trail, and
 * a last name that says what they are.
 */
const namesOf = (email: string, { name, firstName, lastName }: Names, noun: string) => {
  const [mailbox = email] = email.split('@');
  if (name === undefined) return { firstName: firstName ?? mailbox, lastName: lastName ?? `(${noun})` };
  const [first = '', ...rest] = name.trim().split(/\s+/);
  if (rest.length > 0 && firstName === undefined && lastName === undefined) {
    return { firstName: first, lastName: rest.join(' ') };
  }
  throw new Error('Pass either --name "FIRST LAST", or --first-name and --last-name.');
};
