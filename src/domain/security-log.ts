// The sign-in history of a user. It has its own stream, so that the user's stream stays short. It holds only ids and no
// personal data.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { uuid } from './fields.js';

export const platforms = ['WEB'] as const;

export const failureReasons = [
  'wrong-password',
  'user-disabled',
  'activation-required',
  'password-change-required',
] as const;

const SignedIn = z.object({ sessionId: uuid(), platform: z.enum(platforms) });
const SignInFailed = z.object({ reason: z.enum(failureReasons) });
/** How a user ends a session: from within the session, or from the list of sessions. */
export const signOutWays = ['sign-out', 'session-list'] as const;

const SignedOut = z.object({ sessionId: uuid(), by: z.enum(signOutWays) });
/** A used refresh token was used again, which means that it was stolen. The session was ended. */
const SessionReuseDetected = z.object({ sessionId: uuid() });

export const securityLogEvents = { SignedIn, SignInFailed, SignedOut, SessionReuseDetected };

export const securityLogCommands = {
  RecordSignIn: SignedIn,
  RecordFailedSignIn: SignInFailed,
  RecordSignOut: SignedOut,
  RecordSessionReuse: SessionReuseDetected,
};

export const securityLog: Decider<null, typeof securityLogEvents, typeof securityLogCommands> = {
  aggregate: 'securityLog',
  events: securityLogEvents,
  commands: securityLogCommands,
  initialState: null,
  evolve: undefined,
  decide: {
    RecordSignIn: (_, data) => [{ type: 'SignedIn', data }],
    RecordFailedSignIn: (_, data) => [{ type: 'SignInFailed', data }],
    RecordSignOut: (_, data) => [{ type: 'SignedOut', data }],
    RecordSessionReuse: (_, data) => [{ type: 'SessionReuseDetected', data }],
  },
};
