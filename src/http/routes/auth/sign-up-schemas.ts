// The schemas of requests and responses about sign-up.

import { z } from 'zod';
import { channels } from '../../../auth/codes/texts.js';
import { givenPassword, notOfItsEmail } from '../../../auth/passwords/rules.js';
import { emailAndPassword } from '../../../auth/registration.js';
import { comparableSpecialty, isComparable } from '../../../domain/comparable.js';
import { FieldErrorCode } from '../../../domain/errors.js';
import { nameText, text, uuid, visibleText } from '../../../domain/fields.js';
import { type Item, itemsOf, rule } from '../../../domain/rules.js';
import { genders, profileTypes } from '../../../domain/user/events.js';
import { profileLimit } from '../../../domain/user/user.js';
import { jsonSchemaOf } from '../../request/json-schemas.js';
import { dialingCode, newPerson, possiblePhone, SentProfile } from '../users/schemas.js';
import { sentCode, sentCodeFields } from './shared.js';

const NAME = 200;

/** Returns the name of a specialty as names are compared; undefined if the schema refuses it anyway. */
const comparedName = ({ description }: Item): string | undefined =>
  typeof description === 'string' && description.length <= NAME && isComparable(description, NAME)
    ? comparableSpecialty(description)
    : undefined;

const namedOnce = rule((list, refuse) => {
  const seen = new Set<string>();
  for (const [item, index] of itemsOf(list)) {
    const name = comparedName(item);
    if (name === undefined) continue;
    if (seen.has(name))
      refuse([index, 'description'], 'duplicate', 'must not name the same specialty as a previous item');
    seen.add(name);
  }
});

const MAX_NAMES = 50;

// Every unknown name adds a specialty to the public catalogue, and an anonymous caller can sign up.
const fewNames = rule((profiles, refuse) => {
  const names = new Set<string>();
  for (const [{ specialties }, index] of itemsOf(profiles)) {
    for (const [item] of itemsOf(specialties)) {
      const name = comparedName(item);
      if (name !== undefined) names.add(name);
    }
    if (names.size <= MAX_NAMES) continue;
    refuse(
      [index, 'specialties'],
      'too-big',
      `must not raise the number of specialties in all profiles above ${MAX_NAMES}`,
    );
    return;
  }
});

const SignUpProfile = SentProfile.extend({
  specialties: z
    .array(
      z
        .object({
          description: nameText(NAME).describe(
            'The name of a specialty. Case, the accents of Latin and Greek letters, invisible characters, outer white space and the length of inner white space do not matter. An unknown specialty is added to the catalogue, without outer white space and with runs of white space as one blank, but disabled; a sign-up may add at most 10.',
          ),
          document: text(100).nullish().describe('Accepted but not stored.'),
        })
        .meta({ id: 'NamedSpecialty' }),
    )
    .max(50)
    .superRefine(...namedOnce)
    .default([]),
}).meta({ id: 'SignUpProfile' });

const { firstName, lastName, birthDate, ...others } = newPerson;

const signUpFields = z.object({
  notificationProviderType: text(50)
    .default('EMAIL')
    .describe(
      'The channel of the first code, EMAIL or SMS. Without a phone and its dialing code, or if users must activate before they sign in, the code is sent by e-mail.',
    ),
  firstName,
  lastName,
  birthDate,
  ...others,
  acceptTerms: z.literal(true),
  auth: z
    .object({
      ...emailAndPassword,
      type: z.literal('USERPASS').default('USERPASS'),
    })
    .superRefine(...notOfItsEmail('password'))
    .meta({ id: 'ChosenCredentials' }),
  profiles: z
    .array(SignUpProfile)
    .max(profileLimit)
    .superRefine(...fewNames)
    .default([])
    .describe(`All profiles together may name at most ${MAX_NAMES} specialties.`),
});
export const SignUp = signUpFields.superRefine(...possiblePhone);

/** The parts of a sign-up: a dry run checks the profiles, whatever the faults of the person are. */
export const signUpParts = {
  person: signUpFields.omit({ profiles: true }).superRefine(...possiblePhone),
  profiles: signUpFields.pick({ profiles: true }),
};

// Matches whole words, so that MobileMail means e-mail.
const MEANS_SMS = /(?<![a-z])(sms|phone|mobile|celular|telefone)(?![a-z])/i;

/** Returns the channel of a notification provider. */
export const channelOf = (notificationProviderType: string): (typeof channels)[number] =>
  MEANS_SMS.test(notificationProviderType) ? 'SMS' : 'EMAIL';

export const ActivationCodeRequest = z.object({
  ownerRef: uuid().describe('The id of the user.'),
  channel: z.enum(channels).default('EMAIL'),
});

export const ActivationCode = z.object({ ownerRef: z.uuid(), ...sentCodeFields }).meta({ id: 'ActivationCode' });

export const Activation = z.object({
  ownerRef: uuid().describe('The id of the user.'),
  code: sentCode,
  password: givenPassword
    .optional()
    .describe('The password of the user; required for the code of a new e-mail address.'),
});

export const ChangedPhone = z
  .object({
    userId: uuid().nullish().describe('If present, must be the id of the caller.'),
    dialingCode,
    phone: visibleText(50),
  })
  .superRefine(...possiblePhone);

export const PhoneChange = z
  .object({ userId: z.uuid(), channel: z.literal('SMS'), expiresAt: sentCodeFields.expiresAt })
  .meta({ id: 'PhoneChange' });

const MAX_MEMBERS = 200;

/** A sign-up body for the dry run, which may be invalid. */
export const TriedSignUp = z
  .looseObject({})
  .refine((body) => Object.keys(body).length <= MAX_MEMBERS, {
    error: `must have at most ${MAX_MEMBERS} members`,
    params: { code: 'too-big' },
  })
  .meta({ openapi: { type: 'object', maxProperties: MAX_MEMBERS, additionalProperties: {} } })
  .optional();

/** The choices of a sign-up form. */
export const signUpChoices = {
  genders,
  profileTypes,
  notificationProviderTypes: channels,
  authTypes: ['USERPASS'],
} as const;

/** The JSON Schema of the body of a sign-up. */
export const signUpModel = jsonSchemaOf(SignUp, { io: 'input' });

const choices = <const T extends readonly [string, ...string[]]>(values: T) => z.array(z.enum(values));

export const SignUpModel = z
  .object({
    model: z.record(z.string(), z.unknown()).describe('The JSON Schema of the body of POST /auth-service/signup.'),
    enumerations: z
      .object({
        genders: choices(genders),
        profileTypes: choices(profileTypes),
        notificationProviderTypes: choices(channels),
        authTypes: choices(['USERPASS']),
      })
      .meta({ id: 'SignUpEnumerations' }),
    specialties: z
      .array(z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'SpecialtyChoice' }))
      .describe('The enabled specialties of the catalogue, oldest first, at most 1,000.'),
    errors: z
      .array(
        z.object({ pointer: z.string(), code: FieldErrorCode, message: z.string() }).meta({ id: 'TriedSignUpError' }),
      )
      .describe('The faults of the given body. They do not reveal whether the e-mail or the document is taken.'),
    errorsTruncated: z.literal(true).optional().describe('The body has more faults than `errors` lists.'),
  })
  .meta({ id: 'SignUpModel' });
