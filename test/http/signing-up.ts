// What the HTTP tests of sign-ups share: newcomers, and the codes that they are sent.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { z } from 'zod';
import type * as sent from '../../src/http/routes/sign-up/schemas.js';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import type { Client, ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import type { Service } from '../support/service.js';
import { newEmail, successful, type User } from './samples.js';
import { PASSWORD } from './signing-in.js';

export type SentSignUp = z.input<typeof sent.SignUp>;
export type ActivationCode = z.infer<typeof sent.ActivationCode>;
export type PhoneChange = z.infer<typeof sent.PhoneChange>;
export type SignUpModel = z.infer<typeof sent.SignUpModel>;

/** Nobody's phone before, as it is written and in E.164. */
export const newPhone = () => {
  const digits = `${Number.parseInt(randomUUID().slice(0, 8), 16)}`.padStart(10, '0').slice(-8);
  return { phone: `11 9${digits.slice(0, 4)}-${digits.slice(4)}`, number: `+55119${digits}` };
};

/** A body that signs somebody up. */
export const newcomer = (said: Partial<SentSignUp> = {}): SentSignUp => ({
  firstName: 'Bruno',
  lastName: 'Lima',
  acceptTerms: true,
  auth: { email: newEmail(), password: PASSWORD, type: 'USERPASS' },
  ...said,
});

export const trySignUp = (
  client: Client,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ClientResponse<User>> => client.post<User>('/auth-service/signup', body, headers);

/** A user who has signed up. */
export const signUp = async (client: Client, said: Partial<SentSignUp> = {}): Promise<User & { email: string }> => {
  const { body } = successful(await trySignUp(client, newcomer(said)));
  return { ...body, email: body.email ?? '' };
};

/** The subject of what every user is sent whom an administrator creates; most tests are about what comes after it. */
export const CREATED = 'Sua conta foi criada';

/** The messages to a contact, once there are so many of them. */
export const messagesTo = (server: Service, contact: string, count = 1): Promise<readonly Message[]> =>
  eventually(async () => {
    const messages = server.outbox().filter(({ to, subject }) => to === contact && subject !== CREATED);
    expect(messages).toHaveLength(count);
    return messages;
  });

export const codeIn = ({ text }: Message): string => /\b\d{6,8}\b/.exec(text)?.[0] ?? 'none';

/** The code of the one message that a contact got. */
export const codeFor = async (server: Service, contact: string): Promise<string> => {
  const [message] = await messagesTo(server, contact);
  return message === undefined ? 'none' : codeIn(message);
};

/** A code that is not this one. */
export const wrongFor = (code: string): string => `${(Number(code) + 1) % 1_000_000}`.padStart(6, '0');

export const activate = (client: Client, ownerRef: string, code: string, headers: Record<string, string> = {}) =>
  client.post<User>('/auth-service/activate', { ownerRef, code }, headers);

export const askForCode = (client: Client, ownerRef: string, query = '', headers: Record<string, string> = {}) =>
  client.get<ActivationCode>(`/auth-service/activation-code?ownerRef=${ownerRef}${query}`, headers);
