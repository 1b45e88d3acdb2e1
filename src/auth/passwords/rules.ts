// What no password may be. Every other password that is long enough is accepted: no rule asks for kinds of characters.
import { createRequire } from 'node:module';
import type * as Common from '@zxcvbn-ts/language-common';
import type * as Portuguese from '@zxcvbn-ts/language-pt-br';
import { z } from 'zod';
import { comparableName } from '../../domain/comparable.js';
import { hasVisibleCharacter } from '../../domain/fields.js';
import { rule } from '../../domain/rules.js';

/** How many characters a password has. The operator may ask for more than `least` (PASSWORD_MIN_LENGTH). */
export const passwordLengths = { least: 8, most: 1_024 } as const;

/** What is at fault with a password that is easily guessed. */
export const easyPassword = { code: 'common', message: 'is easily guessed: choose another one' } as const;

let leastLength: number = passwordLengths.least;

/** Makes every process-wide check of a new password ask for this many characters. Called once, at start. */
export const requirePasswordLength = (least: number): void => {
  leastLength = least;
};

// Words that stand for this service and that no dictionary has.
const CONTEXT = ['clinical', 'clinicalprotocols', 'protocols', 'protocolos', 'administrator', 'administrador', 'coren'];
// So many digits and signs around a word add too little to it.
const MOST_AROUND = 6;

const load = createRequire(import.meta.url);

interface Lists {
  readonly passwords: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}
let lists: Lists | undefined;

// Loaded at the first use: the lists take megabytes, and most processes never ask.
const loaded = (): Lists => {
  const { dictionary: common } = load('@zxcvbn-ts/language-common') as typeof Common;
  const { dictionary: portuguese } = load('@zxcvbn-ts/language-pt-br') as typeof Portuguese;
  const passwords = new Set(common['passwords-common']);
  const words = [...portuguese['commonWords-pt-br'], ...portuguese['firstnames-pt-br'], ...CONTEXT];
  return { passwords, words: new Set([...passwords, ...words.map(comparableName)]) };
};

/**
 * Returns whether a password is easily guessed: one of the 49,000 that people choose most often, a common word of English
 * or Portuguese or a word of this service with a few digits or signs around it, one character over and over, or nothing
 * that can be seen. Case and accents do not matter.
 */
export const isEasyPassword = (password: string): boolean => {
  lists ??= loaded();
  const compared = comparableName(password);
  const word = compared.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const isWord = compared.length - word.length <= MOST_AROUND && lists.words.has(word);
  const isOneCharacter = new Set(password).size === 1;
  return lists.passwords.has(compared) || isWord || isOneCharacter || !hasVisibleCharacter(password);
};

/** Returns whether a password is an e-mail address or the part before its @, whatever the case. */
export const isOfEmail = (password: string, email: string): boolean => {
  const address = email.toLowerCase();
  return [address, address.slice(0, Math.max(0, address.lastIndexOf('@')))].includes(password.toLowerCase());
};

/** A password that is compared with a stored one. */
export const givenPassword = z.string().min(1).max(passwordLengths.most);

/** A password that a user wants to have. */
export const newPassword = z
  .string()
  .min(passwordLengths.least)
  .max(passwordLengths.most)
  .refine((password) => password.length >= leastLength, {
    error: () => `has fewer than ${leastLength} characters`,
    params: { code: 'too-small' },
  })
  .refine((password) => !isEasyPassword(password), {
    error: easyPassword.message,
    params: { code: easyPassword.code },
  })
  .describe(
    'Not easily guessed: no common password, no common word of English or Portuguese with a few digits, not one character over and over, and neither the e-mail address nor the part before its @. The service may ask for more characters.',
  );

/** Rejects the password at `key` if it is made of the e-mail beside it. */
export const notOfItsEmail = (key: string) =>
  rule((value, refuse) => {
    const { [key]: password, email } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof password !== 'string' || typeof email !== 'string') return;
    if (isOfEmail(password, email)) refuse([key], easyPassword.code, easyPassword.message);
  });
