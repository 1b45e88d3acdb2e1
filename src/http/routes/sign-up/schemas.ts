// What is sent and answered about signing up, as schemas with the names that OpenAPI shows.
import { z } from 'zod';
import { channels } from '../../../auth/codes/codes.js';
import { givenPassword, newPassword, notOfItsEmail } from '../../../auth/passwords/rules.js';
import { comparableName } from '../../../domain/comparable.js';
import { uuid, visibleText } from '../../../domain/fields.js';
import { itemsOf, rule } from '../../../domain/rules.js';
import { genders, profileTypes } from '../../../domain/user/events.js';
import { profileLimit } from '../../../domain/user/user.js';
import { inline } from '../../kernel/json-schemas.js';
import { sentCode, sentCodeFields } from '../passwords/schemas.js';
import { contact, possiblePhone, SentProfile, said } from '../users/schemas.js';

const namedOnce = rule((list, refuse) => {
  const seen = new Set<string>();
  for (const [{ description }, index] of itemsOf(list)) {
    if (typeof description !== 'string') continue;
    const name = comparableName(description);
    if (seen.has(name)) refuse([index, 'description'], 'duplicate', 'names the same specialty as an item before it');
    seen.add(name);
  }
});

const MOST_NAMES = 50;

// Each name that nobody knows is a specialty more, in a catalogue that everybody reads; and whoever signs up is nobody yet.
const fewNames = rule((profiles, refuse) => {
  const names = new Set<string>();
  for (const [{ specialties }, index] of itemsOf(profiles)) {
    for (const [{ description }] of itemsOf(specialties)) {
      if (typeof description === 'string') names.add(comparableName(description));
    }
    if (names.size <= MOST_NAMES) continue;
    refuse(
      [index, 'specialties'],
      'too-big',
      `must not bring the specialties that the profiles name above ${MOST_NAMES}`,
    );
    return;
  }
});

const SignUpProfile = SentProfile.extend({
  specialties: z
    .array(
      z
        .object({
          description: visibleText(200).describe(
            'The name of a specialty; case and accents do not matter. One that the catalogue does not have is added to it, disabled.',
          ),
          document: z.string().max(100).nullish().describe('Accepted and not kept.'),
        })
        .meta({ id: 'NamedSpecialty' }),
    )
    .max(50)
    .superRefine(...namedOnce)
    .default([]),
}).meta({ id: 'SignUpProfile' });

export const SignUp = z
  .object({
    notificationProviderType: z
      .string()
      .max(50)
      .default('EMAIL')
      .describe(
        'EMAIL or SMS: by what the first code comes. SMS needs a phone with its dialing code; else it is EMAIL.',
      ),
    firstName: said.firstName.unwrap(),
    lastName: said.lastName.unwrap(),
    birthDate: contact.birthDate.default(null),
    gender: contact.gender.default(null),
    document: contact.document.default(null),
    dialingCode: contact.dialingCode.default(null),
    phone: contact.phone.default(null),
    acceptTerms: z.literal(true),
    auth: z
      .object({ email: said.email.unwrap(), password: newPassword, type: z.literal('USERPASS').default('USERPASS') })
      .superRefine(...notOfItsEmail('password'))
      .meta({ id: 'ChosenCredentials' }),
    profiles: z
      .array(SignUpProfile)
      .max(profileLimit)
      .superRefine(...fewNames)
      .default([])
      .describe(`They name at most ${MOST_NAMES} specialties in all.`),
  })
  .superRefine(...possiblePhone);

// Whole words: MobileMail is a mail.
const MEANS_SMS = /(?<![a-z])(sms|phone|mobile|celular|telefone)(?![a-z])/i;

/** The channel that a notification provider means. */
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
    userId: uuid().nullish().describe('Where it is sent, your own.'),
    dialingCode: contact.dialingCode.unwrap(),
    phone: visibleText(50),
  })
  .superRefine(...possiblePhone);

export const PhoneChange = z
  .object({ userId: z.uuid(), channel: z.literal('SMS'), expiresAt: sentCodeFields.expiresAt })
  .meta({ id: 'PhoneChange' });

const MOST_MEMBERS = 200;

/** Whatever would be sent to sign up. */
export const TriedSignUp = z
  .looseObject({})
  .refine((body) => Object.keys(body).length <= MOST_MEMBERS, {
    error: `must have at most ${MOST_MEMBERS} members`,
    params: { code: 'too-big' },
  })
  .meta({ openapi: { type: 'object', maxProperties: MOST_MEMBERS, additionalProperties: {} } })
  .optional();

/** What a form for signing up offers to choose from. */
export const signUpChoices = {
  genders,
  profileTypes,
  notificationProviderTypes: channels,
  authTypes: ['USERPASS'],
} as const;

/** The body of a sign-up as a JSON Schema. */
export const signUpModel = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...inline(SignUp, 'input') };

const choices = <const T extends readonly [string, ...string[]]>(of: T) => z.array(z.enum(of));

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
      .describe('Those of the catalogue that are enabled, at most 1,000 of them, the oldest first.'),
    errors: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string() }).meta({ id: 'TriedSignUpError' }))
      .describe(
        'What would be wrong with the body that was sent. Whether its e-mail or document is taken is not told.',
      ),
    errorsTruncated: z.literal(true).optional().describe('More is wrong than `errors` says.'),
  })
  .meta({ id: 'SignUpModel' });
