// What follows from each event of a user, beside the new state of the user.
import type { z } from 'zod';
import type { userEvents } from './events.js';

/**
 * What evidence of a profile shows of an event. `nothing`: neither its payload nor a personal value. `payload`: its
 * payload without personal values, which remain sealed. All others show the payload, too: `name`, `credentials` and
 * `decision` with the name, the credentials or the reason; `erasure` as a step of every profile of the user.
 */
export type ShownInEvidence = 'nothing' | 'payload' | 'name' | 'credentials' | 'decision' | 'erasure';

interface Consequences<Data> {
  /** Returns whether the event ends all earlier sessions of the user. */
  readonly endsSessions: (data: Data) => boolean;
  /** Whether the log always has sealed fields of the event, because one of its personal fields is never null. */
  readonly isAlwaysSealed: boolean;
  /** The verifier has a rule of its own for it (verifier/verify.mjs), which must agree. */
  readonly evidence: ShownInEvidence;
}

type Events = typeof userEvents;

const always = () => true;
const never = () => false;

export const consequences: { readonly [T in keyof Events]: Consequences<z.infer<Events[T]>> } = {
  UserRegistered: { endsSessions: never, isAlwaysSealed: true, evidence: 'name' },
  UserRevised: { endsSessions: ({ enabled }) => !enabled, isAlwaysSealed: false, evidence: 'name' },
  UserProfileAdded: { endsSessions: never, isAlwaysSealed: false, evidence: 'credentials' },
  UserProfileApproved: { endsSessions: never, isAlwaysSealed: false, evidence: 'decision' },
  UserProfileRejected: { endsSessions: always, isAlwaysSealed: false, evidence: 'decision' },
  UserProfileDecisionExplained: { endsSessions: never, isAlwaysSealed: false, evidence: 'decision' },
  UserProfileChangedSinceApproval: { endsSessions: never, isAlwaysSealed: false, evidence: 'payload' },
  UserProfileReturnedToAnalysis: { endsSessions: always, isAlwaysSealed: false, evidence: 'payload' },
  UserProfileResubmitted: { endsSessions: never, isAlwaysSealed: false, evidence: 'credentials' },
  UserAttachedToInstitution: { endsSessions: never, isAlwaysSealed: false, evidence: 'nothing' },
  UserAttachedToUnity: { endsSessions: never, isAlwaysSealed: false, evidence: 'nothing' },
  UserDetachedFromInstitution: { endsSessions: never, isAlwaysSealed: false, evidence: 'nothing' },
  UserDetachedFromUnity: { endsSessions: never, isAlwaysSealed: false, evidence: 'nothing' },
  UserPhoneChanged: { endsSessions: never, isAlwaysSealed: true, evidence: 'nothing' },
  UserSignInEmailChanged: { endsSessions: ({ by }) => by === 'operator', isAlwaysSealed: true, evidence: 'nothing' },
  UserActivated: { endsSessions: never, isAlwaysSealed: false, evidence: 'nothing' },
  UserPasswordChanged: { endsSessions: always, isAlwaysSealed: false, evidence: 'nothing' },
  UserProfileErased: { endsSessions: never, isAlwaysSealed: false, evidence: 'payload' },
  UserErased: { endsSessions: always, isAlwaysSealed: false, evidence: 'erasure' },
};

/** Returns the consequences of an event; undefined if no user of this program has events of this type. */
export const consequencesOf = (type: string): Consequences<never> | undefined =>
  Object.hasOwn(consequences, type) ? consequences[type as keyof Events] : undefined;

/** Returns whether an event of a user ends all earlier sessions of the user. */
export const endsSessions = ({ type, data }: { readonly type: string; readonly data: unknown }): boolean =>
  consequencesOf(type)?.endsSessions(data as never) ?? false;
