// By what a person can be reached.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { signInEmailOf, type UserFields } from '../../domain/user/state.js';
import type { Channel } from './codes.js';

/**
 * A phone number in E.164, by the numbering plans of the countries; undefined where none of this length can exist. Without
 * a dialing code (`55` or `+55`) the number itself must begin with it. It may be written with or without the trunk prefix;
 * ranges that are not assigned yet pass.
 */
export const phoneNumberOf = (dialingCode: string | null, phone: string): string | undefined => {
  const code = dialingCode?.replace(/^\+/, '') ?? '';
  const isInternational = phone.trimStart().startsWith('+');
  if (code === '' && !isInternational) return undefined;
  const number = parsePhoneNumberFromString(isInternational ? phone : `+${code} ${phone}`, { extract: false });
  const isOfCode = code === '' || number?.countryCallingCode === code;
  return isOfCode && number?.isPossible() ? number.number : undefined;
};

/**
 * Returns whether an SMS may go to a number (E.164). Without a list every country is allowed, but no global service: satellite
 * and other numbers that belong to no country cost the operator most.
 */
export const maySendSms = (number: string, callingCodes: readonly string[] | undefined): boolean => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined) return false;
  return callingCodes === undefined ? !parsed.isNonGeographic() : callingCodes.includes(parsed.countryCallingCode);
};

/** Returns where a user is reached by a channel; undefined if the user is not. */
export const contactBy: {
  readonly [C in Channel]: (of: Pick<UserFields, 'auth' | 'dialingCode' | 'phone'>) => string | undefined;
} = {
  EMAIL: (fields) => signInEmailOf(fields) ?? undefined,
  SMS: ({ dialingCode, phone }) => (phone === null ? undefined : phoneNumberOf(dialingCode, phone)),
};
