// Whether a phone number can exist, by the numbering plans of the countries.
import { phoneNumberOf } from '../auth/contacts.js';

/**
 * Whether a number of this length can exist under the dialing code (`55` or `+55`). It may be written with or without
 * the trunk prefix, and with the dialing code where it begins with a plus; ranges that are not assigned yet pass.
 */
export const phoneExists = (dialingCode: string, phone: string): boolean =>
  phoneNumberOf(dialingCode, phone) !== undefined;
