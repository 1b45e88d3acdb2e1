// The conditions on a signed-in caller, under the names that rules, OpenAPI and problems use.

import type { ProfileType } from '../../domain/user/state.js';
/** What each condition requires of a caller. */
export const conditions = {
  user: 'any signed-in user',
  approved: 'a user with an approved profile of any type',
  self: 'the user whose id is `{id}` in the path',
  holder: 'the user whose session has the id `{id}` in the path',
  ADMINISTRATOR: 'a user with an approved profile of type ADMINISTRATOR',
  AUDITOR: 'a user with an approved profile of type AUDITOR',
  DOCTOR_GENERALIST: 'a user with an approved profile of type DOCTOR_GENERALIST',
  DOCTOR_SPECIALIST: 'a user with an approved profile of type DOCTOR_SPECIALIST',
  NURSE: 'a user with an approved profile of type NURSE',
} as const satisfies Readonly<Record<ProfileType | 'user' | 'approved' | 'self' | 'holder', string>>;

/** A condition on a signed-in caller. */
export type CallerCondition = keyof typeof conditions;

/** The names of all conditions. */
export const callerConditions = Object.keys(conditions) as readonly CallerCondition[];
