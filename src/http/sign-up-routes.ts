// Signing up: endpoints 24 to 27 of the contract, and the redemption of the codes that they have sent.
import type { IssuedCode } from '../auth/codes.js';
import { phoneNumberOf } from '../auth/contacts.js';
import { Refused } from '../auth/refused.js';
import type { Asking } from '../auth/sign-up.js';
import { userOf } from '../domain/user-state.js';
import type { Client } from './client.js';
import { faultsIn } from './requests.js';
import { get, post, type Route } from './route.js';
import { type Service, written } from './service.js';
import { signedIn } from './sign-in-routes.js';
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
  TriedSignUp,
} from './sign-up-schemas.js';
import { inAuth } from './taken.js';
import { newcomer, somebody } from './user-examples.js';
import { User } from './user-schemas.js';

const MOST_SPECIALTIES = 1_000;
const PAGE = 200;

/** The routes of signing up, each served at its own path alone. */
export const signUpRoutes = (service: Service): readonly Route[] => [
  post('/auth-service/signup', {
    summary: 'Signs up: registers the caller as a user with a sign-in by e-mail and password',
    description:
      'The user is enabled and may sign in at once; every profile is ANALYSING, and of any type: none has power before it is approved. A code that activates the user is sent; POST /auth-service/activate redeems it.',
    body: SignUp,
    example: newcomer,
    answers: { 201: User },
    handle: async ({ body, client, by }) => {
      const { auth, profiles, notificationProviderType, acceptTerms: _, ...person } = body;
      const wanted = {
        person: { ...person, email: auth.email },
        password: auth.password,
        channel: channelOf(notificationProviderType),
        profiles: profiles.map(({ specialties, ...profile }) => ({
          ...profile,
          specialties: specialties.map(({ description }) => description),
        })),
      };
      const outcome = await service.auth.signUps.signUp(wanted, asking(client), by).catch(inAuth);
      return { ...written(outcome, userOf(outcome.state)), location: `/users/${outcome.id}` };
    },
  }),
  post('/auth-service/signup-model', {
    summary: 'Answers what a sign-up takes, and what would be wrong with the body that is sent',
    description: 'A dry run: nothing is stored. Whether an e-mail or a document is taken, it does not tell.',
    ...{ recordsNothing: true },
    body: TriedSignUp,
    example: { firstName: 'Ana', auth: { email: 'ana@example.org', password: 'password' } },
    answers: { 200: SignUpModel },
    handle: async ({ body = {} }) => {
      const specialties = await enabledSpecialties(service);
      const errors = faultsIn(SignUp, body);
      return { json: JSON.stringify({ model: signUpModel, enumerations: signUpChoices, specialties, errors }) };
    },
  }),
  get('/auth-service/activation-code', {
    summary: 'Has a code sent that activates a user',
    description: 'The answer is the same where there is no such user, or none who is reached by this channel.',
    ...{ isSecret: true, recordsNothing: true },
    query: ActivationCodeRequest,
    answers: { 200: ActivationCode },
    problems: [429],
    handle: async ({ query: { ownerRef, channel }, client }) => {
      const issued = await service.auth.signUps.sendActivationCode(ownerRef, channel, asking(client));
      return { json: JSON.stringify({ ownerRef, ...shownCode(issued) }) };
    },
  }),
  post('/auth-service/activate', {
    summary: 'Redeems a code: activates the user, or gives the user the phone that it was sent to',
    description: 'Whatever is wrong with a code, the answer is the same. A user who is active already stays so.',
    body: Activation,
    example: { ownerRef: somebody, code: '123456' },
    answers: { 200: User },
    handle: async ({ body: { ownerRef, code }, by }) => {
      const outcome = await service.auth.signUps.activate(ownerRef, code, by);
      return written(outcome, userOf(outcome.state));
    },
  }),
  post('/auth-service/change-phone', {
    summary: 'Has a code sent to another phone of the user who asks',
    description:
      'The phone is the new one once POST /auth-service/activate has redeemed the code, with the id of the user.',
    ...{ isSecret: true, recordsNothing: true },
    body: ChangedPhone,
    example: { dialingCode: '55', phone: '11 91234-5678' },
    answers: { 200: PhoneChange },
    problems: [403, 429],
    handle: async ({ body: { userId: named, dialingCode, phone }, bearer, client }) => {
      const { userId } = signedIn(bearer);
      if ((named ?? userId) !== userId) throw new Refused('other-user');
      const wanted = { dialingCode, phone, number: phoneNumberOf(dialingCode, phone) ?? '' };
      const issued = await service.auth.signUps.sendPhoneCode(userId, wanted, asking(client));
      const { channel, expiresAt } = shownCode(issued);
      return { json: JSON.stringify({ userId, channel, expiresAt }) };
    },
  }),
];

/** Who asks for a code. */
export const asking = ({ language, address }: Client): Asking => ({ language, address });

/** What is told of a code that is on its way, or would be. */
export const shownCode = ({ channel, expiresAt, resendAfter }: IssuedCode) => ({
  channel,
  expiresAt: new Date(expiresAt).toISOString(),
  resendAfter: new Date(resendAfter).toISOString(),
});

const enabledSpecialties = async ({ views }: Service) => {
  const found: { readonly id: string; readonly name: string }[] = [];
  const query = { collection: 'specialties', where: { enabled: 'true' }, prefix: {}, order: 'oldest-first' } as const;
  for (let after: string | undefined, isMore = true; isMore && found.length < MOST_SPECIALTIES; ) {
    const { bodies, next } = await views.list({ ...query, after, limit: PAGE });
    for (const body of bodies) {
      const { id, name } = JSON.parse(body) as { readonly id: string; readonly name: string };
      found.push({ id, name });
    }
    after = next;
    isMore = next !== undefined;
  }
  return found;
};
