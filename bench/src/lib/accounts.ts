// People who can sign in, made as they are in life, and signing in as them.
import { Caller } from './caller.js';
import { runCli, type Server, type Settings, startReady } from './processes.js';

/** What a sign-in sends. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

/** What a sign-in, or a refresh, gives. */
export interface Tokens {
  readonly token: string;
  readonly refreshToken: string;
}

/** A server, and the access token of somebody who may do everything there. */
export interface Guarded {
  readonly server: Server;
  readonly token: string;
}

/** How the servers run that are asked with a token. What is measured here goes beyond any quota of a client. */
export const GUARDED: Settings = { AUTH: 'required', RATE_LIMITS: 'off' };

const ADMINISTRATOR = 'operator@example.org';
const PASSWORD = 'nobody would guess 9 of these';
const AT_ONCE = 4;

/** Starts the product as `GUARDED` says and signs in as its administrator. */
export const startGuarded = async (directory: string): Promise<Guarded> => {
  const server = await startReady(directory, GUARDED);
  runCli(directory, ['admin', 'create', '--email', ADMINISTRATOR], `${PASSWORD}\n`);
  const caller = new Caller(server.url);
  const { token } = await signIn(caller, { email: ADMINISTRATOR, password: PASSWORD });
  caller.close();
  return { server, token };
};

/** Makes so many people who can sign in. */
export const makeAccounts = ({ server, token }: Guarded, count: number): Promise<readonly Account[]> =>
  inParallel(
    Array.from({ length: count }, (_, n) => n + 1),
    server.url,
    (n, caller) => makeAccount(caller, n, token),
  );

/** Signs in once as each of these. */
export const signInAll = (url: string, accounts: readonly Account[]): Promise<readonly Tokens[]> =>
  inParallel(accounts, url, (account, caller) => signIn(caller, account));

/** Signs in. */
export const signIn = (caller: Caller, { email, password }: Account): Promise<Tokens> =>
  caller.json<Tokens>({ method: 'POST', path: '/auth-service/auth', body: { email, password } });

const makeAccount = async (caller: Caller, n: number, token: string): Promise<Account> => {
  const account = { email: `maria.${n}@example.org`, password: PASSWORD };
  const body = {
    firstName: 'Maria Aparecida',
    lastName: `dos Santos ${n}`,
    document: `D${String(n).padStart(13, '0')}`,
    birthDate: '1980-02-29',
    profiles: [{ documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31' }],
    auth: account,
  };
  await caller.text({ method: 'POST', path: '/users/doctor', body, token });
  return account;
};

/** Does something with each item, a few at once, over connections of their own; what came of each, in their order. */
const inParallel = async <Item, Result>(
  items: readonly Item[],
  url: string,
  work: (item: Item, caller: Caller) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const left = items.entries();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    const caller = new Caller(url);
    for (const [index, item] of left) results[index] = await work(item, caller);
    caller.close();
  });
  await Promise.all(workers);
  return results;
};
