// Callers of a service that requires sign-in: an administrator whom the operator creates, and users with the roles
// that an administrator approves.
import type { ProfileType } from '../../../src/domain/user/state.js';
import type { Client } from '../../support/client.js';
import { first } from '../../support/items.js';
import type { Service } from '../../support/service.js';
import { doctor, newEmail, successful, type User } from './samples.js';
import { bearerHeader, PASSWORD, type SignIn, signIn } from './signing-in.js';

/** A user who has signed in. */
export interface Caller extends Pick<SignIn, 'token' | 'refreshToken'> {
  readonly email: string;
  readonly user: User;
  /** The headers that identify the caller. */
  readonly authorization: Readonly<Record<string, string>>;
}

const signedIn = async (service: Client, email: string): Promise<Caller> => {
  const { token, refreshToken, user } = await signIn(service, email);
  return { email, token, refreshToken, user, authorization: bearerHeader(token) };
};

/** Creates an administrator with the operator's tool on the stores of the service. */
export const newAdministrator = (service: Service): Promise<Caller> =>
  administratorBy(service, (command, input) => service.runCli(command, input));

/** Creates an administrator with the given tool. */
export const administratorBy = async (service: Client, runCli: Service['runCli']): Promise<Caller> => {
  const email = newEmail();
  const { code, err } = await runCli(['admin', 'create', '--email', email], `${PASSWORD}\n`);
  if (code !== 0) throw new Error(`the tool created no administrator: ${err}`);
  return signedIn(service, email);
};

/**
 * Creates a user with a profile of this type and signs the user in. The administrator approves the profile by default.
 */
export const newCaller = async (
  service: Client,
  { authorization }: Caller,
  { type, approved = true }: { readonly type: ProfileType; readonly approved?: boolean },
): Promise<Caller> => {
  const email = newEmail();
  const sent = doctor({ auth: { email, password: PASSWORD }, profiles: [{ type }] });
  const user = successful(await service.post<User>('/users/doctor', sent, authorization)).body;
  if (approved) await decide(service, { authorization }, user, 'approve');
  return signedIn(service, email);
};

/** Approves or rejects the first profile of a user. */
export const decide = async (
  service: Client,
  { authorization }: Pick<Caller, 'authorization'>,
  { id, profiles }: User,
  decision: 'approve' | 'reject',
): Promise<void> => {
  successful(await service.patch(`/users/${id}/profiles/${first(profiles).id}/${decision}`, {}, authorization));
};
