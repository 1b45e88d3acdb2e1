// The events of a user. Profiles belong to the stream of their user and are created with the user in one append.
import { z } from 'zod';
import { emailAddress, formatted, text, uuid, visibleText } from '../fields.js';
import { personal } from '../personal.js';

export const genders = ['FEMININE', 'MASCULINE'] as const;

export const profileTypes = ['DOCTOR_GENERALIST', 'DOCTOR_SPECIALIST', 'NURSE', 'ADMINISTRATOR', 'AUDITOR'] as const;

const date = () => formatted(10, z.iso.date, 'must be a date, for example 2026-01-31');

/** The personal data of a user. A field is null if it was never given or was erased. */
export const Person = z.object({
  firstName: personal(visibleText(200)),
  lastName: personal(visibleText(200)),
  gender: personal(z.enum(genders)),
  document: personal(visibleText(100)),
  birthDate: personal(date()),
  dialingCode: personal(text(10)),
  phone: personal(text(50)),
  email: personal(emailAddress()),
});

/** The credentials that an administrator checks before approving a profile. */
export const Credentials = z.object({
  /** The professional registration number. */
  documentDoctor: personal(visibleText(100)),
  documentDoctorState: personal(visibleText(100)),
  documentDoctorUpdatedAt: personal(date()),
  /** The specialties of the profile: the id of each item, and the specialty of the catalogue. */
  specialties: z.array(z.object({ id: uuid(), specialtyId: uuid() })).max(50),
});

/** How a password was changed: with the current password, or with a reset code. */
export const passwordChanges = ['change', 'reset'] as const;

/** The particulars that an approval depends on and that a user can change afterwards. */
export const approvedParticulars = ['name', 'document'] as const;

/** A decision on a profile. The reason is text about a person and therefore personal data. */
const Decision = z.object({ profileId: uuid(), reason: personal(visibleText(2_000)) });

export const userEvents = {
  UserRegistered: Person.extend({
    enabled: z.boolean(),
    /** The id of the sign-in with e-mail and password. */
    externalAuthId: uuid(),
    acceptedTerms: z.boolean(),
  }),
  /** `email` is the contact address, `signInEmail` the address that the user signs in with. */
  UserRevised: Person.extend({ enabled: z.boolean(), signInEmail: Person.shape.email }),
  UserProfileAdded: Credentials.extend({ profileId: uuid(), type: z.enum(profileTypes) }),
  UserProfileApproved: Decision,
  UserProfileRejected: Decision,
  /** The last decision was repeated with another reason. It stays as it was recorded. */
  UserProfileDecisionExplained: Decision,
  /** A field that the approval depends on was changed. `isReviewed`: whether another administrator made the change. */
  UserProfileChangedSinceApproval: z.object({
    profileId: uuid(),
    changed: z.array(z.enum(approvedParticulars)).min(1),
    isReviewed: z.boolean(),
  }),
  /** The profile needs a new approval, because its user changed a field that the approval depends on. */
  UserProfileReturnedToAnalysis: z.object({ profileId: uuid() }),
  UserProfileResubmitted: Credentials.extend({ profileId: uuid() }),
  /** `name` is the name of the institution at the time of this event. */
  UserAttachedToInstitution: z.object({ institutionId: uuid(), name: z.string() }),
  UserAttachedToUnity: z.object({ institutionId: uuid(), unityId: uuid(), name: z.string() }),
  UserDetachedFromInstitution: z.object({ institutionId: uuid() }),
  UserDetachedFromUnity: z.object({ institutionId: uuid(), unityId: uuid() }),
  /** The user redeemed a code that was sent to the new phone. */
  UserPhoneChanged: z.object({ dialingCode: Person.shape.dialingCode, phone: Person.shape.phone }),
  /** `email` became both the sign-in address and the contact address. */
  UserSignInEmailChanged: z.object({
    email: Person.shape.email,
    /** With a code that was sent to the new address, or by an operator who vouched for it. */
    by: z.enum(['code', 'operator']),
    /** The name of the operator who vouched for the address; null if the user redeemed a code. */
    operator: personal(visibleText(200)),
  }),
  /** The user proved ownership of a contact address. */
  UserActivated: z.object({}),
  /** Ends all earlier sessions. The password itself is in the vault. */
  UserPasswordChanged: z.object({ by: z.enum(passwordChanges) }),
  /** Recorded with UserErased for each profile of the user. The personal fields of the profile are erased. */
  UserProfileErased: z.object({ profileId: uuid() }),
  /** The key of the user's personal fields was destroyed. The operator gives the reason, which must not name anyone. */
  UserErased: z.object({ reason: visibleText(500) }),
};
