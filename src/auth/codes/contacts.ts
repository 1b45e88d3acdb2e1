// The contacts of a user: e-mail addresses and phone numbers.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { signInEmailOf, type UserFields } from '../../domain/user/state.js';
import type { Channel } from './texts.js';

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns a phone number in E.164; undefined if the country's numbering plan allows no number of this length. Without a
 * dialing code (`55` or `+55`), the number itself must start with one. The trunk prefix is optional. Ranges that are
 * not assigned yet are accepted. Invisible characters, which copied numbers often have, do not matter.
 */
export const phoneNumberOf = (dialingCode: string | null, phone: string): string | undefined => {
  const code = dialingCode?.replace(/^\+/, '') ?? '';
  const visible = phone
    .replaceAll(INVISIBLE, '')
    .replaceAll(/\s/g, ' ')
    .trim()
    .replace(/^\uFF0B/, '+');
  const isInternational = visible.startsWith('+');
  if (code === '' && !isInternational) return undefined;
  const number = parsePhoneNumberFromString(isInternational ? visible : `+${code} ${visible}`, { extract: false });
  const isOfCode = code === '' || number?.countryCallingCode === code;
  return isOfCode && number?.isPossible() ? number.number : undefined;
};

/**
 * Returns whether an SMS may be sent to a number (E.164). Without a list, every country is allowed, but not the numbers
 * that belong to no country, such as satellite phones: messages to them are the most expensive.
 */
export const maySendSms = (number: string, callingCodes: readonly string[] | undefined): boolean => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined) return false;
  return callingCodes === undefined ? !parsed.isNonGeographic() : callingCodes.includes(parsed.countryCallingCode);
};

export const contactBy: {
  readonly [C in Channel]: (user: Pick<UserFields, 'auth' | 'dialingCode' | 'phone'>) => string | undefined;
} = {
  EMAIL: (fields) => signInEmailOf(fields) ?? undefined,
  SMS: ({ dialingCode, phone }) => (phone === null ? undefined : phoneNumberOf(dialingCode, phone)),
};
