// One-time codes: some digits, sent to a contact, that prove that it is its owner's.

import { Refused } from '../refused.js';

/** What a message is for. */
export const purposes = [
  'activation',
  'phone-change',
  'password-reset',
  // A code with which a user whose account an administrator created sets a password.
  'account-created',
  'email-change',
  // Tells the old address. Its message shows no code, and nothing redeems the code behind it.
  'email-changed',
] as const;
export type Purpose = (typeof purposes)[number];

/** By what a code is sent. */
export const channels = ['EMAIL', 'SMS'] as const;
export type Channel = (typeof channels)[number];

/** The languages that messages are written in. */
export const languages = ['pt', 'en'] as const;
export type Language = (typeof languages)[number];

/** A code that is asked for. */
export interface CodeRequest {
  readonly purpose: Purpose;
  /** Whom it is for as the request names them, known or not: requests are counted by it. */
  readonly owner: string;
  /**
   * The user and where it is sent: an e-mail address, or a phone number in E.164. Undefined where there is no such owner,
   * or none that has this contact: then nothing is sent, and the answer is the same.
   */
  readonly to: { readonly userId: string; readonly contact: string } | undefined;
  readonly channel: Channel;
  readonly language: Language;
  /** Where the request comes from: requests are counted by it, too. Absent: they are not. */
  readonly address?: string;
  /** The contact as the request names it, if the owner is not what it names: messages are counted by it, too. */
  readonly contactSent?: string;
  /** What is to happen when it is redeemed, as JSON; kept sealed. */
  readonly confirms?: unknown;
}

/** What is told of a code; instants in epoch milliseconds. */
export interface IssuedCode {
  readonly channel: Channel;
  readonly expiresAt: number;
  /**
   * From when on another one is sent: to ask before gives the same answer, and sends nothing, where it is to confirm the
   * same.
   */
  readonly resendAfter: number;
}

/** A code that was redeemed, once. */
export interface RedeemedCode {
  readonly purpose: Purpose;
  readonly userId: string;
  readonly confirms: unknown;
}

/** The one-time codes. Calls reject with `StoreUnavailable` while the vault cannot answer. */
export interface Codes {
  /**
   * Makes a code and has it sent; the owner's code of this purpose before it is void. The message is stored when this
   * resolves: it is sent also if the queue is away now, or the process ends. Rejects with the refusal
   * `too-many-codes` where the owner, or the address, has asked for too many.
   */
  issue(request: CodeRequest): Promise<IssuedCode>;

  /**
   * Redeems an owner's code of one of these purposes. Rejects with the refusal `code-refused` where it is none of them, has
   * expired, was redeemed before, or was tried too often: which of these is not told.
   */
  redeem(owner: string, code: string, purposes: readonly Purpose[], accept?: Acceptance): Promise<RedeemedCode>;

  /** Makes the owner's code of a purpose void. */
  cancel(owner: string, purpose: Purpose): Promise<void>;
}

/**
 * Looks at what a right code is about to redeem. If the promise rejects, so does `redeem`, and the code stays good. Called
 * again if another process changes the code's record meanwhile.
 */
export type Acceptance = (redeemed: RedeemedCode) => Promise<void>;

/** Returns whether a quota keeps a message back. Rejects with every other error. */
export const isWithheld = (issuing: Promise<unknown>): Promise<boolean> =>
  issuing.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Refused && error.code === 'too-many-codes') return true;
      throw error;
    },
  );
