// What is recorded of a user. Profiles live inside their user: they are made together, in one append.
import { z } from 'zod';
import type { Upcasters } from '../decider.js';
import { uuid, visibleText } from '../fields.js';
import { personal } from '../personal.js';

export const genders = ['FEMININE', 'MASCULINE'] as const;

export const profileTypes = ['DOCTOR_GENERALIST', 'DOCTOR_SPECIALIST', 'NURSE', 'ADMINISTRATOR', 'AUDITOR'] as const;

/** A calendar date, YYYY-MM-DD (ISO 8601). */
const date = () => z.iso.date();

/** Who a person is. Null: never said, or erased. */
export const Person = z.object({
  firstName: personal(visibleText(200)),
  lastName: personal(visibleText(200)),
  gender: personal(z.enum(genders)),
  document: personal(visibleText(100)),
  birthDate: personal(date()),
  dialingCode: personal(z.string().max(10)),
  phone: personal(z.string().max(50)),
  email: personal(z.email().max(320)),
});

/** What a profile is judged by. */
export const Credentials = z.object({
  /** The professional registration number. */
  documentDoctor: personal(visibleText(100)),
  documentDoctorState: personal(visibleText(100)),
  documentDoctorUpdatedAt: personal(date()),
  /** The item of the profile and the specialty of the catalogue that it names. */
  specialties: z.array(z.object({ id: uuid(), specialtyId: uuid() })).max(50),
});

/** How a password came to be another one: its user knew the one before it, or proved by a code to be its user. */
export const passwordChanges = ['change', 'reset'] as const;

/** How a sign-in address came to be another one: a code sent to it was redeemed, or an operator vouched for it. */
export const signInEmailChanges = ['code', 'operator'] as const;

/** What an approval rests on and a user can change afterwards. */
export const approvedParticulars = ['name', 'document'] as const;

/** A decision on a profile. The reason is a text about the person, and so personal. */
const Decision = z.object({ profileId: uuid(), reason: personal(visibleText(2_000)) });

/** UserRevised as version 1 recorded it: the contact address was the sign-in address, too. */
type UserRevisedV1 = z.infer<typeof Person> & { readonly enabled: boolean };

export const userEvents = {
  UserRegistered: Person.extend({
    enabled: z.boolean(),
    /** The id of the sign-in by e-mail and password. */
    externalAuthId: uuid(),
    acceptedTerms: z.boolean(),
  }),
  /** `email` is the contact address, `signInEmail` the address that the user signs in with. */
  UserRevised: Person.extend({ enabled: z.boolean(), signInEmail: Person.shape.email }),
  UserProfileAdded: Credentials.extend({ profileId: uuid(), type: z.enum(profileTypes) }),
  UserProfileApproved: Decision,
  UserProfileRejected: Decision,
  /** What the approval rests on was changed. `isReviewed`: by an administrator who is somebody else. */
  UserProfileChangedSinceApproval: z.object({
    profileId: uuid(),
    changed: z.array(z.enum(approvedParticulars)).min(1),
    isReviewed: z.boolean(),
  }),
  /** The profile has to be approved again, because its user changed what the approval rests on. */
  UserProfileReturnedToAnalysis: z.object({ profileId: uuid() }),
  UserProfileResubmitted: Credentials.extend({ profileId: uuid() }),
  /** `name` is the institution's when the user was attached. */
  UserAttachedToInstitution: z.object({ institutionId: uuid(), name: z.string() }),
  UserAttachedToUnity: z.object({ institutionId: uuid(), unityId: uuid(), name: z.string() }),
  /** The phone that the user asked for, once a code sent to it was redeemed. */
  UserPhoneChanged: z.object({ dialingCode: Person.shape.dialingCode, phone: Person.shape.phone }),
  /** The address that the user signs in with, and the contact address, is `email` now. */
  UserSignInEmailChanged: z.object({
    email: Person.shape.email,
    by: z.enum(signInEmailChanges),
    /** The name of the operator who vouched for the address; null if the user redeemed a code. */
    operator: personal(visibleText(200)),
  }),
  /** The user proved a contact. */
  UserActivated: z.object({}),
  /** The password itself is in the vault. All sessions that began before it have ended. */
  UserPasswordChanged: z.object({ by: z.enum(passwordChanges) }),
  /** Recorded with UserErased for each of the user's profiles: its personal fields are gone. */
  UserProfileErased: z.object({ profileId: uuid() }),
  /** The key of the person's fields is gone. The reason is the operator's and names nobody. */
  UserErased: z.object({ reason: visibleText(500) }),
};

export const userUpcasters: Upcasters<typeof userEvents> = {
  UserRevised: [(revised: UserRevisedV1) => ({ ...revised, signInEmail: revised.email })],
};
