// What happened to the sign-in of one user, in a stream of its own beside the user's, so that that one stays short. It
// holds ids alone: nothing in it is personal.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { uuid } from './fields.js';

export const platforms = ['WEB'] as const;

export const failureReasons = ['wrong-password', 'user-disabled', 'activation-required'] as const;

const SignedIn = z.object({ sessionId: uuid(), platform: z.enum(platforms) });
const SignInFailed = z.object({ reason: z.enum(failureReasons) });
/** `by` is what the user did: signed out where the session is, or ended it from the list of sessions. */
const SignedOut = z.object({ sessionId: uuid(), by: z.enum(['sign-out', 'ending-it']) });
/** A refresh token was used that had been spent: somebody else has it, too. The session was ended. */
const SessionReuseDetected = z.object({ sessionId: uuid() });

export const securityLogEvents = { SignedIn, SignInFailed, SignedOut, SessionReuseDetected };

export const securityLogCommands = {
  RecordSignIn: SignedIn,
  RecordFailedSignIn: SignInFailed,
  RecordSignOut: SignedOut,
  RecordSessionReuse: SessionReuseDetected,
};

/** Nothing is decided by what is in it. */
export type SecurityLog = { readonly status: 'log' };

const unchanged = (state: SecurityLog) => state;

export const securityLog: Decider<SecurityLog, typeof securityLogEvents, typeof securityLogCommands> = {
  aggregate: 'securityLog',
  events: securityLogEvents,
  commands: securityLogCommands,
  initialState: { status: 'log' },
  evolve: {
    SignedIn: unchanged,
    SignInFailed: unchanged,
    SignedOut: unchanged,
    SessionReuseDetected: unchanged,
  },
  decide: {
    RecordSignIn: (_, data) => [{ type: 'SignedIn', data }],
    RecordFailedSignIn: (_, data) => [{ type: 'SignInFailed', data }],
    RecordSignOut: (_, data) => [{ type: 'SignedOut', data }],
    RecordSessionReuse: (_, data) => [{ type: 'SessionReuseDetected', data }],
  },
};
