// `npm run cli -- sign-in-address set`: sets a new sign-in address for a person who lost both mailbox and password.
import { validate as isUuid } from 'uuid';
import { signInEmailOf, userOf } from '../domain/user/state.js';
import { user, userCommands } from '../domain/user/user.js';
import type { AllStores } from '../infrastructure/stores.js';
import { Progress } from '../projections/progress.js';
import { serviceOf } from '../service.js';
import { operatorContext } from './operator.js';

type SignInAddressOptions = Readonly<Record<'user' | 'email' | 'operator', string>>;

/** Sets the sign-in address of a user and ends the user's sessions. The event records the operator's name. */
export const setSignInAddress = async (stores: AllStores, options: SignInAddressOptions): Promise<void> => {
  if (!isUuid(options.user)) throw new Error('Pass --user ID, an id of 36 characters.');
  const command = userCommands.SetSignInEmail.safeParse(options);
  if (!command.success) throw new Error(command.error.issues.map(faultOf).join('\n'));
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const set = { type: 'SetSignInEmail', data: command.data } as const;
  const { state } = await service.handle(user, options.user.toLowerCase(), set, operatorContext());
  const fields = userOf(state);
  console.log(`user ${fields.id} now signs in as ${signInEmailOf(fields)}; all sessions of the user have ended`);
  console.log('the password is unchanged; the user sets a new one with POST /auth-service/password/reset-code');
};

const faultOf = ({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }) =>
  `--${path.join('.')}: ${message}`;
