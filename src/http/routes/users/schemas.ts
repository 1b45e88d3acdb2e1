// The schemas of requests about users.
import { z } from 'zod';
import { phoneNumberOf } from '../../../auth/codes/contacts.js';
import { notOfItsEmail } from '../../../auth/passwords/rules.js';
import { emailAndPassword } from '../../../auth/registration.js';
import { comparable, formatted, text, uuid, visibleText } from '../../../domain/fields.js';
import { rule } from '../../../domain/rules.js';
import { Credentials, Person } from '../../../domain/user/events.js';
import { profileLimit, userCommands } from '../../../domain/user/user.js';

// The earliest time zone (UTC+14) is 14 hours ahead of UTC.
const AHEAD_MS = 14 * 3_600_000;
const birthDate = Person.shape.birthDate
  .unwrap()
  .refine((day) => day <= new Date(Date.now() + AHEAD_MS).toISOString(), {
    error: 'must not be in the future',
    params: { code: 'in-future' },
  });

export const dialingCode = formatted(
  5,
  (error) => z.regex(/^\+?\d{1,4}$/, error),
  'must be a dialing code, for example 55',
);

/** The fault of a phone number that cannot exist with its dialing code. */
export const impossiblePhone = {
  code: 'impossible',
  message: 'must be a phone number that can exist with its dialing code',
} as const;

/** Rejects a phone that cannot exist with its dialing code. */
export const possiblePhone = rule((value, refuse) => {
  const { dialingCode: code, phone } = (value ?? {}) as { dialingCode?: unknown; phone?: unknown };
  if (!dialingCode.safeParse(code).success || typeof phone !== 'string' || phone === '') return;
  if (phoneNumberOf(String(code), phone) === undefined)
    refuse(['phone'], impossiblePhone.code, impossiblePhone.message);
});

/** Returns a field that is also null if an empty text is sent: the empty field of a form. */
const emptyAsNull = <S extends z.ZodType>(field: z.ZodNullable<S>) =>
  z.preprocess((sent) => (sent === '' ? null : sent), field).meta({ mayBeEmpty: true });

const { firstName, lastName, document } = userCommands.RegisterUser.shape;

const optionals = {
  gender: emptyAsNull(Person.shape.gender),
  birthDate: emptyAsNull(birthDate.nullable()),
  dialingCode: emptyAsNull(dialingCode.nullable()),
  phone: emptyAsNull(Person.shape.phone),
};

/** The fields of a new user, except the e-mail address. */
export const newPerson = {
  firstName,
  lastName,
  gender: optionals.gender.default(null),
  document,
  birthDate: optionals.birthDate.default(null),
  dialingCode: optionals.dialingCode.default(null),
  phone: optionals.phone.default(null),
};

const { reapproval: _, ...revised } = userCommands.ReviseUser.shape;

/** A client may send `createdAt` and `updatedAt` of a response back. The service ignores them. */
export const RevisedUser = z
  .object({
    id: uuid().describe('If present, must be the id in the path.'),
    ...revised,
    ...optionals,
    document: emptyAsNull(document.unwrap()),
    createdAt: z.unknown(),
    updatedAt: z.unknown(),
  })
  .partial()
  .superRefine(...possiblePhone);

const namedSpecialties = z
  .array(visibleText(200).refine(...comparable(200)))
  .max(50)
  .describe('The ids or names of specialties in the catalogue.');

const documentDoctorState = emptyAsNull(Credentials.shape.documentDoctorState);
const documentDoctorUpdatedAt = emptyAsNull(Credentials.shape.documentDoctorUpdatedAt);

export const SentProfile = userCommands.AddProfile.extend({
  documentDoctorState: documentDoctorState.default(null),
  documentDoctorUpdatedAt: documentDoctorUpdatedAt.default(null),
  specialties: namedSpecialties.default([]),
}).meta({ id: 'NewProfile' });

export const ResubmittedProfile = userCommands.ResubmitProfile.omit({ profileId: true })
  .extend({ documentDoctorState, documentDoctorUpdatedAt, specialties: namedSpecialties })
  .partial()
  .prefault({});

export const SentDecision = z
  .object({
    reason: visibleText(2_000).nullable().default(null).describe('The reason of the decision, which is recorded.'),
  })
  .prefault({})
  .meta({ id: 'ProfileDecision' });

export const Doctor = z
  .object({
    ...newPerson,
    document: newPerson.document.unwrap().unwrap(),
    profiles: z.array(SentProfile).min(1).max(profileLimit),
    auth: z
      .object({
        ...emailAndPassword,
        token: text(10_000).nullish().describe('Accepted but not stored.'),
      })
      .superRefine(...notOfItsEmail('password'))
      .meta({ id: 'InitialCredentials' }),
  })
  .superRefine(...possiblePhone);

/** The reason of an erasure. It must not name anyone, because it is kept. */
export const ErasureReason = z.object({ reason: userCommands.EraseUser.shape.reason.optional() }).optional();
