// What is recorded of a user. Profiles live inside their user: they are made together, in one append.
import { z } from 'zod';
import { uuid, visibleText } from './fields.js';
import { personal } from './personal.js';

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

/** A decision on a profile. The reason is a text about the person, and so personal. */
const Decision = z.object({ profileId: uuid(), reason: personal(visibleText(2_000)) });

export const userEvents = {
  UserRegistered: Person.extend({
    enabled: z.boolean(),
    /** The id of the sign-in by e-mail and password. */
    externalAuthId: uuid(),
    acceptedTerms: z.boolean(),
  }),
  UserRevised: Person.extend({ enabled: z.boolean() }),
  UserProfileAdded: Credentials.extend({ profileId: uuid(), type: z.enum(profileTypes) }),
  UserProfileApproved: Decision,
  UserProfileRejected: Decision,
  UserProfileResubmitted: Credentials.extend({ profileId: uuid() }),
  /** `name` is the institution's when the user was attached. */
  UserAttachedToInstitution: z.object({ institutionId: uuid(), name: z.string() }),
  UserAttachedToUnity: z.object({ institutionId: uuid(), unityId: uuid(), name: z.string() }),
  /** The phone that the user asked for, once a code sent to it was redeemed. */
  UserPhoneChanged: z.object({ dialingCode: Person.shape.dialingCode, phone: Person.shape.phone }),
  /** The user proved a contact. */
  UserActivated: z.object({}),
  /** The password itself is in the vault. All sessions that began before it have ended. */
  UserPasswordChanged: z.object({ by: z.enum(passwordChanges) }),
  /** Recorded with UserErased for each of the user's profiles: its personal fields are gone. */
  UserProfileErased: z.object({ profileId: uuid() }),
  /** The key of the person's fields is gone. The reason is the operator's and names nobody. */
  UserErased: z.object({ reason: visibleText(500) }),
};
