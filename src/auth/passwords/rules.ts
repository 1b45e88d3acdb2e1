// The passwords that are rejected. Any other password that is long enough is accepted; no rule requires character
// classes.
import { createRequire } from 'node:module';
import type * as Common from '@zxcvbn-ts/language-common';
import type * as Portuguese from '@zxcvbn-ts/language-pt-br';
import { comparableName } from '../../domain/comparable.js';
import { hasVisibleCharacter, text } from '../../domain/fields.js';
import { rule } from '../../domain/rules.js';
import { Turns } from '../../infrastructure/turns.js';

// The length of a password in characters.
const passwordLengths = { min: 8, max: 1_024 } as const;

export const easyPassword = { code: 'common', message: 'is easy to guess: choose another password' } as const;

// Words that relate to this service and are in no dictionary.
const CONTEXT = ['clinical', 'clinicalprotocols', 'protocols', 'protocolos', 'administrator', 'administrador', 'coren'];
// Up to this many digits and signs around a word make it hardly harder to guess.
const MAX_AROUND = 6;

const load = createRequire(import.meta.url);

/** Yields the forms in which words are compared, and whether they are common passwords. Reads the lists when it begins. */
function* listed(): Generator<readonly [word: string, isPassword: boolean]> {
  const { dictionary: common } = load('@zxcvbn-ts/language-common') as typeof Common;
  for (const password of common['passwords-common']) yield [password, true];
  const { dictionary: portuguese } = load('@zxcvbn-ts/language-pt-br') as typeof Portuguese;
  const words = [...portuguese['commonWords-pt-br'], ...portuguese['firstnames-pt-br'], ...CONTEXT];
  for (const word of words) yield [SIMPLE.test(word) ? word : comparableName(word), false];
}
const SIMPLE = /^[a-z]*$/;

const easy = new Map<string, boolean>();
const unread = listed();
const add = ([word, isPassword]: readonly [string, boolean]) => easy.set(word, isPassword || easy.get(word) === true);

/** Loads the lists in turns of the event loop. Without this, the first check of a password loads them in one turn. */
export const loadEasyPasswords = async (): Promise<void> => {
  for await (const each of new Turns().over(unread)) add(each);
};

/**
 * Returns whether a password is easy to guess: one of the 49,000 most common passwords, a common English or Portuguese
 * word or a word of this service with a few digits or signs around it, one repeated character, or no visible character.
 * Case and accents do not matter.
 */
export const isEasyPassword = (password: string): boolean => {
  for (const each of unread) add(each);
  const compared = comparableName(password);
  const [word = ''] = /\p{L}(.*\p{L})?/su.exec(compared) ?? [];
  const isWord = compared.length - word.length <= MAX_AROUND && easy.has(word);
  const isOneCharacter = new Set(password).size === 1;
  return easy.get(compared) === true || isWord || isOneCharacter || !hasVisibleCharacter(password);
};

/** Returns whether a password is an e-mail address or the part before its @. Case and width do not matter. */
export const isOfEmail = (password: string, email: string): boolean => {
  const address = email.toLowerCase();
  const compared = password.normalize('NFKC').toLowerCase();
  return [address, address.slice(0, Math.max(0, address.lastIndexOf('@')))].includes(compared);
};

/** A password that is compared with a stored one. */
export const givenPassword = text(passwordLengths.max).min(1);

/** A new password. The longest length is that of the text as sent. All other rules are about the normalized text. */
export const newPassword = text(passwordLengths.max, `must have at most ${passwordLengths.max} characters`)
  .normalize('NFKC')
  .min(passwordLengths.min, `must have at least ${passwordLengths.min} characters`)
  .refine((password) => !isEasyPassword(password), {
    error: easyPassword.message,
    params: { code: easyPassword.code },
  })
  .describe(
    'Normalized (NFKC) before it is hashed and compared. Must not be easy to guess: not a common password, not a common English or Portuguese word with a few digits, not one repeated character, and neither the e-mail address nor the part before its @.',
  );

/** Rejects the password at `key` if it is the e-mail address beside it, or the part before its @. */
export const notOfItsEmail = (key: string) =>
  rule((value, refuse) => {
    const { [key]: password, email } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof password !== 'string' || typeof email !== 'string') return;
    if (isOfEmail(password, email)) refuse([key], easyPassword.code, easyPassword.message);
  });
