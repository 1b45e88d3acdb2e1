// Sign-up, and the codes that prove a contact: of a new user, of a new phone, and of a new e-mail address.
import type { z } from 'zod';
import { type CommandContext, PreconditionFailed } from '../commands/context.js';
import type { Outcome } from '../commands/handle-command.js';
import { refuse } from '../commands/references.js';
import { cataloguedSpecialty, tooManyUnknown } from '../commands/specialties.js';
import { mustBeReadable } from '../commands/streams.js';
import { refuseTaken } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import type { Of } from '../domain/decider.js';
import { DomainError } from '../domain/errors.js';
import { isEnabled, rolesOf, signInEmailOf, type User } from '../domain/user/state.js';
import { uniqueValuesOf, user, userCommands } from '../domain/user/user.js';
import type { CodeRequest, CodeRequester, IssuedCode } from './codes/codes.js';
import { contactBy, maySendSms } from './codes/contacts.js';
import type { Channel } from './codes/texts.js';
import type { RedeemedCode } from './codes/tries.js';
import type { ChangedUser } from './contact-changes.js';
import type { AuthParts, AuthSettings } from './parts.js';
import { Refused } from './refused.js';
import { registerUser } from './registration.js';

type Registered = z.infer<typeof userCommands.RegisterUser>;
type Profile = Registered['profiles'][number];

interface SignUp {
  readonly person: Omit<Registered, 'profiles' | 'enabled' | 'acceptedTerms'>;
  /** The profiles, whose specialties are given by name. */
  readonly profiles: readonly (Omit<Profile, 'specialties'> & { readonly specialties: readonly string[] })[];
  readonly password: string;
  /** The preferred channel of the first code. The code is sent by e-mail if the channel cannot reach the person. */
  readonly channel: Channel;
}

/** A code to redeem, and the proof of the caller's identity. */
interface Redemption {
  readonly ownerRef: string;
  readonly code: string;
  /** Required for the code of a new e-mail address. */
  readonly password: string | undefined;
  /** The IP address of the client. */
  readonly address: string;
}

/** Signs people up. Calls reject with `Refused`, and with `StoreUnavailable` while a store is unavailable. */
export class SignUps {
  readonly #parts: AuthParts;
  readonly #smsCallingCodes: AuthSettings['smsCallingCodes'];
  readonly #isActivationRequired: boolean;

  constructor(parts: AuthParts, { smsCallingCodes, isActivationRequired = false }: AuthSettings) {
    this.#parts = parts;
    this.#smsCallingCodes = smsCallingCodes;
    this.#isActivationRequired = isActivationRequired;
  }

  /**
   * Registers a user and sends an activation code. Rejects with `user-taken` if another user has the e-mail address or
   * the document, and as `registerUser` does.
   */
  async signUp(request: SignUp, requester: CodeRequester, by: CommandContext): Promise<ChangedUser> {
    const { person, password } = request;
    await this.#refuseEarly(request, by);
    const profiles = await this.#withSpecialties(request.profiles, by);
    const data = { ...person, enabled: true, acceptedTerms: true, profiles };
    const outcome = await registerUser(this.#parts, { data, password }, by);
    return { outcome, isMessageWithheld: await this.#sendCode(outcome, request.channel, requester) };
  }

  /** Sends an activation code. The response is the same if the user is unknown or cannot be reached. */
  async sendActivationCode(ownerRef: string, requested: Channel, requester: CodeRequester): Promise<IssuedCode> {
    const channel = this.#activatingBy(requested);
    const to = this.#addressee(await this.#fresh(ownerRef), channel);
    return this.#parts.codes.issue({ purpose: 'activation', owner: ownerRef, to, channel, ...requester });
  }

  /** Sends a code to a phone. Redeeming the code makes the phone the user's. */
  async sendPhoneCode(
    userId: string,
    { number, ...phone }: z.infer<typeof userCommands.ChangePhone> & { readonly number: string },
    requester: CodeRequester,
  ): Promise<IssuedCode> {
    if (!isEnabled(await this.#fresh(userId))) throw new Refused('user-disabled');
    if (!maySendSms(number, this.#smsCallingCodes)) {
      throw new DomainError('fields-refused', { errors: [CALLING_CODE_NOT_ALLOWED] });
    }
    const to = { userId, contact: number };
    const request = { purpose: 'phone-change', owner: userId, to, channel: 'SMS', confirms: phone } as const;
    return this.#parts.codes.issue({ ...request, contactSent: number, ...requester });
  }

  /** Redeems a code, which activates the user or sets the phone or e-mail address that the code was sent to. */
  async activate(redemption: Redemption, by: CommandContext): Promise<Outcome<User>> {
    const { ownerRef, code, address } = redemption;
    const { handle, streams, codes } = this.#parts;
    const before = by.resumed ? await streams.settled(user, ownerRef, by) : undefined;
    if (before !== undefined) return { ...before, id: ownerRef, aggregate: user.aggregate };
    // Read before the code is used up, so that the code stays valid if the log is unavailable. `ownerRef` is the user
    // id.
    const loaded = await streams.fresh(user, ownerRef);
    mustBeReadable(loaded);
    const { state } = loaded;
    const purposes = [...ACTIVATING, ...((await this.#knowsPassword(redemption, state)) ? CONFIRMING : [])];
    const redeemed = await codes.redeem(ownerRef, code, purposes, { address, accept: this.#mayRedeem });
    if (!isEnabled(state)) throw new Refused('code-refused');
    // The holder of the code acts as the user.
    const actor = { id: redeemed.userId, roles: rolesOf(state) };
    return handle(user, redeemed.userId, commandOf(redeemed), { ...by, actor });
  }

  /** Rejects a sign-up that is certain to fail, before its specialties are added to the catalogue. */
  async #refuseEarly({ person, profiles }: SignUp, by: CommandContext): Promise<void> {
    if (by.precondition !== undefined) throw new PreconditionFailed(-1);
    refuse(await tooManyUnknown(this.#parts, profiles));
    this.#parts.passwords.refuseWhenFull();
    await refuseTaken(this.#parts, user, uniqueValuesOf(person), by.ids.aggregateId());
  }

  async #withSpecialties(profiles: SignUp['profiles'], by: CommandContext): Promise<Profile[]> {
    const made: Profile[] = [];
    // Sequentially, so that a name in two profiles becomes one specialty.
    for (const profile of profiles) {
      const specialties: string[] = [];
      for (const name of profile.specialties) specialties.push(await cataloguedSpecialty(this.#parts, name, by));
      made.push({ ...profile, specialties });
    }
    return made;
  }

  /**
   * Returns whether the caller sent the password of the user. Rejects if it is wrong, also if there is no such user.
   * Without the password, no code of a new e-mail address is compared, so guesses of others do not use it up.
   */
  async #knowsPassword({ ownerRef, password, address }: Redemption, state: User): Promise<boolean> {
    if (password === undefined) return false;
    const { passwords, failures } = this.#parts;
    const signInEmail = isEnabled(state) ? signInEmailOf(state.fields) : null;
    const isRight = await failures.attempt({ email: comparableEmail(signInEmail ?? ownerRef), address }, async () =>
      (await passwords.verify(ownerRef, password)) ? true : undefined,
    );
    if (!isRight) throw new Refused('current-password-refused');
    return true;
  }

  /** Rejects a code of a new e-mail address if the address is taken. */
  readonly #mayRedeem = async (redeemed: RedeemedCode): Promise<void> => {
    if (redeemed.purpose !== 'email-change') return;
    const { email } = confirmedIn(redeemed);
    await refuseTaken(this.#parts, user, uniqueValuesOf({ email, document: null }), redeemed.userId);
  };

  /** Sends the first code. Returns whether a quota withheld the message; the user stays registered in any case. */
  #sendCode({ id, state }: Outcome<User>, requested: Channel, requester: CodeRequester): Promise<boolean> {
    const preferred = this.#activatingBy(requested);
    const channel = this.#addressee(state, preferred) === undefined ? 'EMAIL' : preferred;
    const to = this.#addressee(state, channel);
    const sent = to === undefined ? {} : { contactSent: to.contact };
    const request = { purpose: 'activation', owner: id, to, channel, ...sent, ...requester } as const;
    return this.#parts.codes.issueUnlessWithheld(request);
  }

  /** Returns the channel of an activation code. A code to a phone must not activate an address that nobody proved. */
  #activatingBy(requested: Channel): Channel {
    return this.#isActivationRequired ? 'EMAIL' : requested;
  }

  #addressee(state: User, channel: Channel): CodeRequest['to'] {
    if (!isEnabled(state)) return undefined;
    const contact = contactBy[channel](state.fields);
    if (contact === undefined) return undefined;
    const isAllowed = channel === 'EMAIL' || maySendSms(contact, this.#smsCallingCodes);
    return isAllowed ? { userId: state.fields.id, contact } : undefined;
  }

  async #fresh(userId: string): Promise<User> {
    return (await this.#parts.streams.fresh(user, userId)).state;
  }
}

const ACTIVATING = ['activation', 'phone-change'] as const;
const CONFIRMING = ['email-change'] as const;

const confirmedIn = ({ confirms }: RedeemedCode) => userCommands.ConfirmSignInEmail.parse(confirms);

const commandOf = (redeemed: RedeemedCode): Of<typeof userCommands> => {
  const { purpose, confirms } = redeemed;
  if (purpose === 'phone-change') return { type: 'ChangePhone', data: userCommands.ChangePhone.parse(confirms) };
  if (purpose === 'email-change') return { type: 'ConfirmSignInEmail', data: confirmedIn(redeemed) };
  return { type: 'Activate', data: {} };
};

const CALLING_CODE_NOT_ALLOWED = {
  path: ['dialingCode'],
  code: 'not-allowed',
  message: 'is not a calling code to which this service sends SMS',
} as const;
