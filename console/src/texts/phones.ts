// Phones in one form, however they were sent.

/** Returns the digits of a dialing code: 55 for `55`, `+55` and `0055`. */
export const codeIn = (dialingCode: string | null): string =>
  (dialingCode ?? '').replaceAll(/\D/g, '').replace(/^0+/, '');

/** Returns a phone as `+55 11 91234-5678`; null if there is none. The phone itself may begin with the dialing code, too. */
export const phoneOf = (of: Readonly<Record<'dialingCode' | 'phone', string | null>>): string | null => {
  const code = codeIn(of.dialingCode);
  const phone = (of.phone ?? '').replaceAll(INVISIBLE, '').replaceAll(/\s+/g, ' ').trim();
  if (!/\d/.test(phone)) return null;
  const number = afterPrefix(phone, code);
  if (code === '') return number === undefined ? phone : `+${number}`;
  if (number?.startsWith(code) === false) return `+${number}`;
  return `+${code} ${number?.slice(code.length).replace(/^[ .-]+/, '') ?? phone}`;
};

const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;

/** Returns a phone without the prefix of other countries; undefined if it has none. Only before the code, 00 is one. */
const afterPrefix = (phone: string, code: string): string | undefined => {
  const number = phone.replace(/^(\+|\uFF0B|00) ?/, '');
  const isNational = number === phone || (phone.startsWith('00') && !number.startsWith(code));
  return isNational ? undefined : number;
};
