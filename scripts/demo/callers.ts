// Signs in the users of the demo if callers must sign in: the administrator that the environment names, and a new
// auditor.
import { randomUUID } from 'node:crypto';
import { actAs, allowsAnonymous, call, chapter, say, signInWith } from './client.js';
import type { Doctor } from './doctors.js';

/** The access tokens of the users that the demo acts as. */
export interface Callers {
  readonly administrator: string;
  readonly auditor: string;
}

/**
 * Signs in the users that the demo needs. Returns undefined if the service is open and the demo acts anonymously.
 * Rejects with instructions if callers must sign in and the environment names no administrator.
 */
export const signInCallers = async (): Promise<Callers | undefined> => {
  if (await allowsAnonymous('/institutions')) return undefined;
  const { DEMO_EMAIL: email, DEMO_PASSWORD: password } = process.env;
  if (email === undefined || password === undefined) throw new Error(SIGN_IN_INSTRUCTIONS);
  chapter('Callers must sign in');
  const administrator = await signInWith(email, password);
  actAs(administrator);
  const auditor = await newAuditor();
  return { administrator, auditor };
};

const SIGN_IN_INSTRUCTIONS = `callers of this service must sign in. Create an administrator in the stores of the service:
  npm run cli -- admin create --email admin@example.org
Then run the demo with the same e-mail and password:
  DEMO_EMAIL=admin@example.org DEMO_PASSWORD=… npm run demo`;

// Administrators cannot read the audit trail, because the person who decides must not review the decisions.
const newAuditor = async (): Promise<string> => {
  const run = randomUUID();
  const auth = { email: `auditor.${run}@example.org`, password: `${run} of a demo` };
  const person = { firstName: 'Vera', lastName: 'Prado', document: `MG-${run}` };
  const body = { ...person, profiles: [{ type: 'AUDITOR' }], auth };
  const { id, profiles } = await call<Doctor>('POST', '/users/doctor', { body });
  await call('PATCH', `/users/${id}/profiles/${profiles[0]?.id}/approve`, { body: { reason: 'Audits this demo.' } });
  say('  administrators write and decide; an auditor reads the audit trail');
  return signInWith(auth.email, auth.password);
};
