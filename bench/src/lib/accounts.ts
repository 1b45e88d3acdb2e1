// Creates users who can sign in.
import { sendEach } from './load.js';
import { runCli, type Server, type Settings, startReady } from './processes.js';
import { post } from './samples.js';

/** The body of a sign-in. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

/** A server, and the access token of its administrator. */
export interface Guarded {
  readonly server: Server;
  readonly token: string;
}

const ADMINISTRATOR = 'operator@example.org';
const AT_ONCE = 4;
const PASSWORD = 'nobody would guess 9 of these';

/** The path of a sign-in. */
export const SIGN_IN = '/auth-service/auth';

/** Starts the product with `AUTH=required` and signs in as its administrator. */
export const startGuarded = async (directory: string, settings: Settings = {}): Promise<Guarded> => {
  const server = await startReady(directory, { AUTH: 'required', ...settings });
  runCli(directory, ['admin', 'create', '--email', ADMINISTRATOR], `${PASSWORD}\n`);
  const body: Account = { email: ADMINISTRATOR, password: PASSWORD };
  const { token } = await post<{ readonly token: string }>(`${server.url}${SIGN_IN}`, body);
  return { server, token };
};

/** Returns the body of POST /users/doctor for a person who can sign in. */
export const doctorBody = (n: number) => ({
  firstName: 'Maria Aparecida',
  lastName: `dos Santos ${n}`,
  document: `D${String(n).padStart(13, '0')}`,
  birthDate: '1980-02-29',
  profiles: [{ documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31' }],
  auth: { email: `doctor.${n}@example.org`, password: PASSWORD },
});

/** Creates `count` users who can sign in, a few at a time. */
export const makeAccounts = async ({ server, token }: Guarded, count: number): Promise<readonly Account[]> => {
  const bodies = Array.from({ length: count }, (_, n) => doctorBody(n + 1));
  await sendEach(
    server,
    bodies.map((body) => ({ method: 'POST', path: '/users/doctor', body, token })),
    AT_ONCE,
  );
  return bodies.map(({ auth }) => auth);
};
