// What each event of a user is, and what follows from it beside the new state of the user.
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
  /** Whether it is an event of a profile. */
  readonly ofProfile: boolean;
  /** Whether it decides on the status of a profile, of which the user gets a message. */
  readonly decides: boolean;
  /** The verifier has a rule of its own for it (verifier/verify.mjs), which must agree. */
  readonly evidence: ShownInEvidence;
}

type Events = typeof userEvents;

const always = () => true;
const never = () => false;

const ofUser = {
  endsSessions: never,
  isAlwaysSealed: false,
  ofProfile: false,
  decides: false,
  evidence: 'nothing',
} as const;
const ofProfile = { ...ofUser, ofProfile: true, evidence: 'payload' } as const;
const decision = { ...ofProfile, decides: true, evidence: 'decision' } as const;

export const consequences = {
  UserRegistered: { ...ofUser, isAlwaysSealed: true, evidence: 'name' },
  UserRevised: { ...ofUser, endsSessions: ({ enabled }) => !enabled, evidence: 'name' },
  UserProfileAdded: { ...ofProfile, evidence: 'credentials' },
  UserProfileApproved: decision,
  UserProfileRejected: { ...decision, endsSessions: always },
  UserProfileDecisionExplained: { ...decision, decides: false },
  UserProfileChangedSinceApproval: ofProfile,
  UserProfileReturnedToAnalysis: { ...ofProfile, decides: true, endsSessions: always },
  UserProfileResubmitted: { ...ofProfile, decides: true, evidence: 'credentials' },
  UserAttachedToInstitution: ofUser,
  UserAttachedToUnity: ofUser,
  UserDetachedFromInstitution: ofUser,
  UserDetachedFromUnity: ofUser,
  UserPhoneChanged: { ...ofUser, isAlwaysSealed: true },
  UserSignInEmailChanged: { ...ofUser, endsSessions: ({ by }) => by === 'operator', isAlwaysSealed: true },
  UserActivated: ofUser,
  UserPasswordChanged: { ...ofUser, endsSessions: always },
  UserProfileErased: ofProfile,
  UserErased: { ...ofUser, endsSessions: always, evidence: 'erasure' },
} as const satisfies { readonly [T in keyof Events]: Consequences<z.infer<Events[T]>> };

/** The types of the events whose consequences have this member with this value. */
type With<M extends keyof Consequences<never>, V> = {
  [T in keyof Events]: (typeof consequences)[T][M] extends V ? T : never;
}[keyof Events];

export type ProfileEvent = With<'ofProfile', true>;

/** A decision on a profile, or another reason for one. */
export type DecisionType = With<'evidence', 'decision'>;

/** Returns the consequences of an event; undefined if no user of this program has events of this type. */
export const consequencesOf = (type: string): Consequences<never> | undefined =>
  Object.hasOwn(consequences, type) ? consequences[type as keyof Events] : undefined;

/** Returns whether an event of a user ends all earlier sessions of the user. */
export const endsSessions = ({ type, data }: { readonly type: string; readonly data: unknown }): boolean =>
  consequencesOf(type)?.endsSessions(data as never) ?? false;

export const isDecision = (type: string): type is DecisionType => consequencesOf(type)?.evidence === 'decision';

export const decisionTypes = Object.keys(consequences).filter(isDecision);

/** Returns whether an event decides on the status of a profile. */
export const decidesStatus = ({ type }: { readonly type: string }): boolean => consequencesOf(type)?.decides ?? false;
