// By what a person can be reached.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { PersonFields } from '../domain/user-state.js';
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

/** Where a person is reached by a channel; undefined where they are not. */
export const contactBy: {
  readonly [C in Channel]: (of: Pick<PersonFields, 'email' | 'dialingCode' | 'phone'>) => string | undefined;
} = {
  EMAIL: ({ email }) => email ?? undefined,
  SMS: ({ dialingCode, phone }) => (phone === null ? undefined : phoneNumberOf(dialingCode, phone)),
};
