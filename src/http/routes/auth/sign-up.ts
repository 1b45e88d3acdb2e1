// The routes of sign-up: endpoints 24 to 27 of the contract, and the redemption of codes.
import type { z } from 'zod';
import { phoneNumberOf } from '../../../auth/codes/contacts.js';
import { Refused } from '../../../auth/refused.js';
import { tooManyUnknown } from '../../../commands/specialties.js';
import { UserFields } from '../../../domain/user/state.js';
import { listPages } from '../../../infrastructure/views/views.js';
import { signedInAlways, unidentified } from '../../access/access.js';
import { RequestErrors } from '../../problems/request-errors.js';
import { checkBody } from '../../request/checking.js';
import type { RouteContext } from '../../route/context.js';
import { documentsIn } from '../../route/documents.js';
import { get, post, type Route } from '../../route/route.js';
import { registeredUser, userResult } from '../users/changed.js';
import { exampleUserId, newcomer } from '../users/examples.js';
import { requesterOf, requireBearer, shownCode } from './shared.js';
import {
  Activation,
  ActivationCode,
  ActivationCodeRequest,
  ChangedPhone,
  channelOf,
  PhoneChange,
  SignUp,
  SignUpModel,
  signUpChoices,
  signUpModel,
  signUpParts,
  TriedSignUp,
} from './sign-up-schemas.js';

// Enough for 50 specialties with names and documents of maximum length in any script (45 KB), and for the person.
const SIGN_UP_LIMIT = 65_536;
const MAX_SPECIALTIES = 1_000;

export const signUpRoutes = (app: RouteContext): readonly Route[] => [
  post('/auth-service/signup', {
    access: { who: unidentified, rate: 'sign-up', personal: true },
    name: 'signUp',
    summary: 'Signs up: registers the caller as a user who signs in with e-mail and password',
    description:
      'The user is enabled and may sign in immediately. Profiles may have any type; they are ANALYSING and grant no rights until they are approved. The user gets an activation code, which POST /auth-service/activate redeems.',
    body: SignUp,
    bodyLimit: SIGN_UP_LIMIT,
    example: newcomer,
    responses: { 201: UserFields },
    kind: 'creation',
    documentedHeaders: ['Message-Withheld'],
    refuses: ['user-taken', 'too-many-passwords'],
    handle: async ({ body, client, by }) => {
      const { auth, profiles, notificationProviderType, acceptTerms: _, ...person } = body;
      const request = {
        person: { ...person, email: auth.email },
        password: auth.password,
        channel: channelOf(notificationProviderType),
        profiles: withNames(profiles),
      };
      return registeredUser(app.streams, app.auth.signUps.signUp(request, requesterOf(client), by));
    },
  }),
  post('/auth-service/signup-model', {
    access: { who: unidentified, rate: 'other', personal: false },
    name: 'trySignUp',
    summary: 'Returns the schema of a sign-up, and the faults of the given body',
    description:
      'This is a dry run, which stores nothing. It does not reveal whether an e-mail or a document is taken.',
    kind: 'action',
    body: TriedSignUp,
    bodyLimit: SIGN_UP_LIMIT,
    example: { firstName: 'Ana', auth: { email: 'ana@example.org', password: 'password' } },
    responses: { 200: SignUpModel },
    handle: async ({ body = {} }) => {
      const specialties = await enabledSpecialties(app);
      const refused = new RequestErrors();
      checkBody(signUpParts.person, { value: body }, refused);
      const checked = checkBody(signUpParts.profiles, { value: body }, refused);
      const profiles = withNames(checked?.profiles ?? []);
      for (const { path, code, message } of await tooManyUnknown(app, profiles)) refused.inBody(path, code, message);
      const { errors, isCut } = refused;
      const result = { model: signUpModel, enumerations: signUpChoices, specialties, errors };
      return { body: JSON.stringify({ ...result, ...(isCut && { errorsTruncated: true }) }) };
    },
  }),
  get('/auth-service/activation-code', {
    access: { who: unidentified, rate: 'code', personal: true },
    name: 'sendActivationCode',
    summary: 'Sends an activation code',
    description:
      'The response is the same if the user does not exist or cannot be reached through this channel. The response names the channel that was used: if users must activate before they sign in, always e-mail.',
    kind: 'message',
    query: ActivationCodeRequest,
    ignoresUnknownParameters: true,
    responses: { 200: ActivationCode },
    refuses: ['too-many-codes'],
    handle: async ({ query: { ownerRef, channel }, client }) => {
      const issued = await app.auth.signUps.sendActivationCode(ownerRef, channel, requesterOf(client));
      return { body: JSON.stringify({ ownerRef, ...shownCode(issued) }) };
    },
  }),
  post('/auth-service/activate', {
    access: { who: unidentified, rate: 'activation', personal: true },
    name: 'redeemCode',
    summary: 'Redeems a code: activates the user, or confirms a new phone or e-mail address',
    description:
      'The response is the same for every fault of a code. A user who is already active stays active. The code of a new e-mail address also requires the `password` of the user, who signs in with that address afterwards.',
    body: Activation,
    example: { ownerRef: exampleUserId, code: '123456' },
    responses: { 200: UserFields },
    refuses: [
      'code-refused',
      'user-taken',
      'email-not-pending',
      'current-password-refused',
      'too-many-failures',
      'too-many-passwords',
      'personal-key-missing',
    ],
    handle: async ({ body: { ownerRef, code, password }, client: { address }, by }) => {
      const outcome = await app.auth.signUps.activate({ ownerRef, code, password, address }, by);
      return userResult(app.streams, outcome);
    },
  }),
  post('/auth-service/change-phone', {
    access: { who: signedInAlways, rate: 'code', personal: true },
    name: 'changePhone',
    summary: "Sends a code to the caller's new phone",
    description: 'The phone changes when POST /auth-service/activate redeems the code with the id of the user.',
    kind: 'action',
    body: ChangedPhone,
    example: { dialingCode: '55', phone: '11 91234-5678' },
    responses: { 200: PhoneChange },
    refuses: ['user-disabled', 'other-user', 'too-many-codes'],
    handle: async ({ body: { userId: named, dialingCode, phone }, bearer, client }) => {
      const { userId } = requireBearer(bearer);
      if ((named ?? userId) !== userId) throw new Refused('other-user');
      const request = { dialingCode, phone, number: phoneNumberOf(dialingCode, phone) ?? '' };
      const issued = await app.auth.signUps.sendPhoneCode(userId, request, requesterOf(client));
      const { channel, expiresAt } = shownCode(issued);
      return { body: JSON.stringify({ userId, channel, expiresAt }) };
    },
  }),
];

const withNames = (profiles: z.output<typeof SignUp>['profiles']) =>
  profiles.map(({ specialties, ...profile }) => ({
    ...profile,
    specialties: specialties.map(({ description }) => description),
  }));

const enabledSpecialties = async ({ views }: RouteContext) => {
  const enabled = { collection: 'specialties', where: { enabled: 'true' } };
  const query = { ...enabled, order: 'oldest-first', after: undefined, limit: MAX_SPECIALTIES } as const;
  const found: { readonly id: string; readonly name: string }[] = [];
  for await (const { json } of listPages(views, query)) {
    found.push(...documentsIn<'specialties'>(json).map(({ id, name }) => ({ id, name })));
    if (found.length >= MAX_SPECIALTIES) break;
  }
  return found.slice(0, MAX_SPECIALTIES);
};
