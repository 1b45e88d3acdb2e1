// What no password may be. Everything else of eight characters or more is one: no rule asks for signs of some kind.
import { createRequire } from 'node:module';
import type * as Common from '@zxcvbn-ts/language-common';

/** How many characters a password has. */
export const passwordLengths = { least: 8, most: 1_024 } as const;

/** What is at fault with a password that is easily guessed. */
export const easyPassword = { code: 'common', message: 'is easily guessed: choose another one' } as const;

const load = createRequire(import.meta.url);
let common: ReadonlySet<string> | undefined;

/** Whether a password is one of the 49,000 that people choose most often, whatever its case. */
export const isCommonPassword = (password: string): boolean => {
  // Loaded when it is first asked for: it takes megabytes, and most processes never ask.
  common ??= new Set((load('@zxcvbn-ts/language-common') as typeof Common).dictionary['passwords-common']);
  return common.has(password.toLowerCase());
};

/** Whether a password is an e-mail address or what stands before its @, whatever the case. */
export const isOfEmail = (password: string, email: string): boolean => {
  const [whole, chosen] = [email.toLowerCase(), password.toLowerCase()];
  return chosen === whole || chosen === whole.slice(0, Math.max(0, whole.lastIndexOf('@')));
};
