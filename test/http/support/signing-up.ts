// Helpers of the HTTP tests of sign-up: new users, and the codes that the service sends them.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { z } from 'zod';
import type * as schemas from '../../../src/http/routes/auth/sign-up-schemas.js';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import type { Client, ClientResponse } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import type { Service } from '../../support/service.js';
import { newEmail, successful, type User } from './samples.js';
import { PASSWORD } from './signing-in.js';

export type SentSignUp = z.input<typeof schemas.SignUp>;
export type ActivationCode = z.infer<typeof schemas.ActivationCode>;
export type PhoneChange = z.infer<typeof schemas.PhoneChange>;
export type SignUpModel = z.infer<typeof schemas.SignUpModel>;

/** Returns a phone that nobody has, as a user writes it and in E.164. */
export const newPhone = () => {
  const digits = `${Number.parseInt(randomUUID().slice(0, 8), 16)}`.padStart(10, '0').slice(-8);
  return { phone: `11 9${digits.slice(0, 4)}-${digits.slice(4)}`, number: `+55119${digits}` };
};

/** Returns a valid body of a sign-up. */
export const newcomer = (overrides: Partial<SentSignUp> = {}): SentSignUp => ({
  firstName: 'Bruno',
  lastName: 'Lima',
  acceptTerms: true,
  auth: { email: newEmail(), password: PASSWORD, type: 'USERPASS' },
  ...overrides,
});

export const trySignUp = (
  client: Client,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ClientResponse<User>> => client.post<User>('/auth-service/signup', body, headers);

/** Signs a new user up. */
export const signUp = async (
  client: Client,
  overrides: Partial<SentSignUp> = {},
): Promise<User & { email: string }> => {
  const { body } = successful(await trySignUp(client, newcomer(overrides)));
  return { ...body, email: body.email ?? '' };
};

/** The subject of the message to every user whom an administrator creates. Most tests are about later messages. */
export const CREATED = 'Sua conta foi criada';

/** Resolves to the messages to a contact when there are `count`, not counting the one about the new account. */
export const messagesTo = (server: Service, contact: string, count = 1): Promise<readonly Message[]> =>
  eventually(async () => {
    const messages = server.outbox().filter(({ to, subject }) => to === contact && subject !== CREATED);
    expect(messages).toHaveLength(count);
    return messages;
  });

export const codeIn = ({ text }: Message): string => /\b\d{6,8}\b/.exec(text)?.[0] ?? 'none';

/** Resolves to the code in the only message to a contact. */
export const codeFor = async (server: Service, contact: string): Promise<string> => {
  const [message] = await messagesTo(server, contact);
  return message === undefined ? 'none' : codeIn(message);
};

/** Returns a code that differs from the given code. */
export const wrongCodeFor = (code: string): string => `${(Number(code) + 1) % 1_000_000}`.padStart(6, '0');

export const activate = (client: Client, ownerRef: string, code: string, headers: Record<string, string> = {}) =>
  client.post<User>('/auth-service/activate', { ownerRef, code }, headers);

export const askForCode = (client: Client, ownerRef: string, query = '', headers: Record<string, string> = {}) =>
  client.get<ActivationCode>(`/auth-service/activation-code?ownerRef=${ownerRef}${query}`, headers);
