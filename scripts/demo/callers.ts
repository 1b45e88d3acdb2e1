// The users of the demo if callers must sign in: an administrator that the environment names, and a new auditor.
import { randomUUID } from 'node:crypto';
import { actAs, call, callsAsNobody, chapter, say, signInBy } from './client.js';
import type { Doctor } from './doctors.js';

/** The user that the demo acts as; undefined if the service is open and the demo acts anonymously. */
export interface Callers {
  readonly administrator: string;
  readonly auditor: string;
}

/**
 * Signs in the users that the demo needs. Rejects with instructions if callers must sign in and the environment names
 * no administrator.
 */
export const signInCallers = async (): Promise<Callers | undefined> => {
  if (await callsAsNobody('/institutions')) return undefined;
  const { DEMO_EMAIL: email, DEMO_PASSWORD: password } = process.env;
  if (email === undefined || password === undefined) throw new Error(WHAT_TO_DO);
  chapter('Callers must sign in');
  const administrator = await signInBy(email, password);
  actAs(administrator);
  const auditor = await newAuditor();
  return { administrator, auditor };
};

const WHAT_TO_DO = `callers of this service must sign in. Make an administrator, on the same stores:
  npm run cli -- admin create --email admin@example.org
and give the demo the same e-mail and password:
  DEMO_EMAIL=admin@example.org DEMO_PASSWORD=… npm run demo`;

// Administrators do not read the audit trail: the person who decides does not review the decisions.
const newAuditor = async (): Promise<string> => {
  const run = randomUUID();
  const auth = { email: `auditor.${run}@example.org`, password: `${run} of a demo` };
  const person = { firstName: 'Vera', lastName: 'Prado', document: `MG-${run}` };
  const body = { ...person, profiles: [{ type: 'AUDITOR' }], auth };
  const { id, profiles } = await call<Doctor>('POST', '/users/doctor', { body });
  await call('PATCH', `/users/${id}/profiles/${profiles[0]?.id}/approve`, { body: { reason: 'Audits this demo.' } });
  say('  administrators write and decide; the audit trail is read by an auditor');
  return signInBy(auth.email, auth.password);
};
