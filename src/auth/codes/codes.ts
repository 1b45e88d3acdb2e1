// One-time codes: digits sent to a contact, which prove that the contact belongs to the user who redeems them.
import { Refused } from '../refused.js';

/** The purposes of messages. */
export const purposes = [
  'activation',
  'phone-change',
  'password-reset',
  // Lets a user set a password after an administrator created the account.
  'account-created',
  'email-change',
  // Informs the old address. The message has no code, and the code behind it cannot be redeemed.
  'email-changed',
] as const;
export type Purpose = (typeof purposes)[number];

/** The channels that deliver codes. */
export const channels = ['EMAIL', 'SMS'] as const;
export type Channel = (typeof channels)[number];

/** The languages of messages. */
export const languages = ['pt', 'en'] as const;
export type Language = (typeof languages)[number];

/** A request for a code. */
export interface CodeRequest {
  readonly purpose: Purpose;
  /** The owner as the request names them, known or unknown. Requests are counted per owner. */
  readonly owner: string;
  /**
   * The user and the contact: an e-mail address, or a phone number in E.164. Undefined if the owner is unknown or has
   * no such contact. In that case no message is sent, but the response is the same.
   */
  readonly to: { readonly userId: string; readonly contact: string } | undefined;
  readonly channel: Channel;
  readonly language: Language;
  /** The IP address of the client. Requests are also counted per address; if absent, they are not. */
  readonly address?: string;
  /** The contact in the request, if it differs from the owner. Messages are also counted per contact. */
  readonly contactSent?: string;
  /** The value that redeeming the code confirms, as JSON. It is stored sealed. */
  readonly confirms?: unknown;
}

/** The parts of a code request that determine its language and its limits. */
export type CodeRequester = Pick<CodeRequest, 'language' | 'address'>;

/** An issued code as responses show it. Timestamps are epoch milliseconds. */
export interface IssuedCode {
  readonly channel: Channel;
  readonly expiresAt: number;
  /**
   * The time after which another code can be sent. An earlier request that confirms the same value returns the same
   * response and sends nothing.
   */
  readonly resendAfter: number;
}

/** A redeemed code. */
export interface RedeemedCode {
  readonly purpose: Purpose;
  readonly userId: string;
  readonly confirms: unknown;
}

/** Issues and redeems one-time codes. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export interface Codes {
  /**
   * Issues a code, which voids the owner's earlier code for the same purpose. The message is stored before the promise
   * resolves, so it is sent even if the queue is unavailable or the process ends. Rejects with `too-many-codes` if the
   * owner, the contact or the address has requested too many codes.
   */
  issue(request: CodeRequest): Promise<IssuedCode>;

  /**
   * Redeems an owner's code for one of these purposes. Rejects with `code-refused` if the code is wrong, has expired,
   * was already redeemed, or was attempted too often, by anybody or from this address. The error does not reveal which.
   */
  redeem(owner: string, code: string, purposes: readonly Purpose[], attempt?: Attempt): Promise<RedeemedCode>;

  /** Voids the owner's code for a purpose. */
  cancel(owner: string, purpose: Purpose): Promise<void>;
}

/** The circumstances of an attempt to redeem a code. */
export interface Attempt {
  /** The IP address of the client. Attempts are counted per address, so that nobody uses up those of the owner. */
  readonly address?: string;
  readonly accept?: Acceptance;
}

/**
 * Checks a redemption before the code is used up. If the promise rejects, `redeem` rejects with the same error and the
 * code stays valid. Called again if another process changes the record of the code in the meantime.
 */
export type Acceptance = (redeemed: RedeemedCode) => Promise<void>;

/** Returns whether a quota withholds the message of a code. Rejects with every other error. */
export const isWithheld = (issuing: Promise<unknown>): Promise<boolean> =>
  issuing.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Refused && error.code === 'too-many-codes') return true;
      throw error;
    },
  );
