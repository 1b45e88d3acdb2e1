// A process that signs a user in, and stores that a test makes unavailable.
import { onTestFinished, vi } from 'vitest';
import { type Auth, authOf } from '../../../src/auth/auth.js';
import { Passwords } from '../../../src/auth/passwords/passwords.js';
import { registerUser } from '../../../src/auth/registration.js';
import { operatorContext } from '../../../src/cli/operator.js';
import { Streams } from '../../../src/commands/streams.js';
import { securityLog } from '../../../src/domain/security-log.js';
import { user } from '../../../src/domain/user/user.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { person } from '../../domain/support/user-samples.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { MemoryWork } from '../../support/memory-work.js';
import { aKey, openCommands, recordingCalls, switchable } from './auth-harness.js';

export const PASSWORD = 'correct horse';
export const right = {
  email: person.email,
  password: PASSWORD,
  platform: 'WEB',
  appName: null,
  address: '192.0.2.1',
  count: async () => {},
} as const;

// Marks calls that record events after the response was sent.
export const LATER = ' of the security log';

const watched = <T extends object>(store: T, calls: string[]): T =>
  recordingCalls(store, calls, ([first]) => (String(first).startsWith(securityLog.aggregate) ? LATER : ''));

/** Registers a user who may sign in. `handle` acts like a process that stops right after the append. */
export const setUp = async ({ isInitial = false } = {}) => {
  const calls: string[] = [];
  const work = new MemoryWork();
  onTestFinished(() => work.close());
  const store = new MemoryVault();
  const { store: vault, setUnavailable } = switchable(store);
  const { facts, ...parts } = openCommands(watched(vault, calls), (given) => watched(given, calls));
  const reading = vi.spyOn(facts, 'readStream');
  const { handle } = parts;
  const passwords = new Passwords(parts.vault, aKey('passwords'));
  const means = { ...parts, passwords };
  const auth = authOf(means, {});
  /** Returns the authentication of a process that has read nothing yet. */
  const elsewhere = () => authOf({ ...means, streams: new Streams(watched(facts, calls)) }, {});
  const data = user.commands.RegisterUser.parse({ ...person, acceptedTerms: false, profiles: [{}] });
  const { id, state } = await registerUser(
    { handle, passwords },
    { data, password: PASSWORD, isInitial },
    operatorContext(),
  );
  const profileId = state.status === 'unknown' ? '' : (state.fields.profiles[0]?.id ?? '');
  onTestFinished(() => auth.signIns.settled());
  /** Makes the facts unavailable until the test restores them. */
  const stopFacts = () =>
    void reading.mockImplementation(() => {
      throw new StoreUnavailable('the facts', 'they are unavailable');
    });
  const restoreFacts = () => void reading.mockRestore();
  return {
    auth,
    means,
    handle,
    facts,
    id,
    profileId,
    setUnavailable,
    calls,
    stores: { vault: store, work },
    elsewhere,
    stopFacts,
    restoreFacts,
  };
};
export const signIn = ({ signIns }: Auth, changes: object = {}) =>
  signIns.signIn({ ...right, ...changes }, operatorContext());
export const refresh = ({ signIns }: Auth, token: string) => signIns.refresh(token, operatorContext());
export const disable = { type: 'ReviseUser', data: { enabled: false } } as const;
export const enable = { type: 'ReviseUser', data: { enabled: true } } as const;
