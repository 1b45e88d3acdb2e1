// Signing up, and the codes that prove a contact: of a new user, and of a phone that a user wants to have.
import type { z } from 'zod';
import { cataloguedSpecialty } from '../commands/catalogue.js';
import type { Claims } from '../commands/claims.js';
import { type CommandContext, PreconditionFailed } from '../commands/context.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import { refuseTaken } from '../commands/uniqueness.js';
import type { Of } from '../domain/decider.js';
import { uniqueValuesOf, user, userCommands } from '../domain/user.js';
import { isEnabled, rolesOf, type User } from '../domain/user-state.js';
import type { Channel, CodeRequest, Codes, IssuedCode, RedeemedCode } from './codes.js';
import { contactBy } from './contacts.js';
import type { Later } from './later.js';
import type { Passwords } from './passwords.js';
import { Refused } from './refused.js';
import { registerUser } from './registration.js';

/** What signing up takes. */
export interface SignUpMeans {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
  readonly codes: Codes;
  readonly later: Later;
}

type Registered = z.infer<typeof userCommands.RegisterUser>;
type Profile = Registered['profiles'][number];

/** Who wants to be a user. */
export interface SignUp {
  readonly person: Omit<Registered, 'profiles' | 'enabled' | 'acceptedTerms'>;
  /** The specialties of each are names. */
  readonly profiles: readonly (Omit<Profile, 'specialties'> & { readonly specialties: readonly string[] })[];
  readonly password: string;
  /** By what the first code is wished for; it comes by e-mail where the person is not reached by it. */
  readonly channel: Channel;
}

/** Who asks for a code, as far as that matters to its message and its limits. */
export type Asking = Pick<CodeRequest, 'language' | 'address'>;

/** A phone as a user wants to have it. */
export type WantedPhone = z.infer<typeof userCommands.ChangePhone>;

/** Signs people up. Calls reject with `Refused`, and with `StoreUnavailable` while a store is away. */
export class SignUps {
  readonly #means: SignUpMeans;

  constructor(means: SignUpMeans) {
    this.#means = means;
  }

  /**
   * Registers a user and has a code sent that activates them. Rejects with the refusal `user-taken` where another one has
   * the e-mail or the document, and as `registerUser` does.
   */
  async signUp(wanted: SignUp, asking: Asking, by: CommandContext): Promise<Outcome<User>> {
    const { person, password } = wanted;
    await this.#refuseEarly(wanted, by);
    const profiles = await this.#withSpecialties(wanted.profiles, by);
    const data = { ...person, enabled: true, acceptedTerms: true, profiles };
    const outcome = await registerUser(this.#means, { data, password }, by);
    this.#sendCode(outcome, wanted.channel, asking);
    return outcome;
  }

  /** Has a code sent that activates a user; the answer is the same where there is no such user to be reached. */
  async sendActivationCode(ownerRef: string, channel: Channel, asking: Asking): Promise<IssuedCode> {
    const to = addressee(await this.#fresh(ownerRef), channel);
    return this.#means.codes.issue({ purpose: 'activation', owner: ownerRef, to, channel, ...asking });
  }

  /** Has a code sent to a phone, which it gives to the user once it is redeemed. */
  async sendPhoneCode(
    userId: string,
    { number, ...phone }: WantedPhone & { readonly number: string },
    asking: Asking,
  ): Promise<IssuedCode> {
    if (!isEnabled(await this.#fresh(userId))) throw new Refused('user-disabled');
    const to = { userId, contact: number };
    const request = { purpose: 'phone-change', owner: userId, to, channel: 'SMS', confirms: phone } as const;
    return this.#means.codes.issue({ ...request, ...asking });
  }

  /** Redeems a code that activates a user, or gives them the phone that it was sent to. */
  async activate(ownerRef: string, code: string, by: CommandContext): Promise<Outcome<User>> {
    const { handle, streams, codes } = this.#means;
    const before = by.resumed ? await streams.settled(user, ownerRef, by) : undefined;
    if (before !== undefined) return { ...before, id: ownerRef };
    // Read before the code is spent: where the facts are away, it stays good. Whom it names is the user that it is of.
    const state = await this.#fresh(ownerRef);
    const redeemed = await codes.redeem(ownerRef, code, ['activation', 'phone-change']);
    if (!isEnabled(state)) throw new Refused('code-refused');
    // Whoever has the code is the user.
    const actor = { id: redeemed.userId, roles: rolesOf(state) };
    return handle(user, redeemed.userId, commandOf(redeemed), { ...by, actor });
  }

  /** What is known to be refused leaves nothing behind: no specialty is added for it. */
  async #refuseEarly({ person }: SignUp, by: CommandContext): Promise<void> {
    if (by.precondition !== undefined) throw new PreconditionFailed(-1);
    this.#means.passwords.refuseWhenFull();
    await refuseTaken(this.#means, user, uniqueValuesOf(person), by.ids.aggregateId());
  }

  async #withSpecialties(profiles: SignUp['profiles'], by: CommandContext): Promise<Profile[]> {
    const made: Profile[] = [];
    // One after the other: what two profiles name is one specialty.
    for (const profile of profiles) {
      const specialties: string[] = [];
      for (const name of profile.specialties) specialties.push(await cataloguedSpecialty(this.#means, name, by));
      made.push({ ...profile, specialties });
    }
    return made;
  }

  /** Not waited for: the user is registered, and may ask for a code. */
  #sendCode({ id, state }: Outcome<User>, wished: Channel, asking: Asking): void {
    const { codes, later } = this.#means;
    const channel = addressee(state, wished) === undefined ? 'EMAIL' : wished;
    const request = { purpose: 'activation', owner: id, to: addressee(state, channel), channel, ...asking } as const;
    later.run(() => codes.issue(request).catch(unlessRefused));
  }

  async #fresh(userId: string): Promise<User> {
    return (await this.#means.streams.fresh(user, userId)).state;
  }
}

const addressee = (state: User, channel: Channel): CodeRequest['to'] => {
  if (!isEnabled(state)) return undefined;
  const contact = contactBy[channel](state.fields);
  return contact === undefined ? undefined : { userId: state.fields.id, contact };
};

const commandOf = ({ purpose, confirms }: RedeemedCode): Of<typeof userCommands> =>
  purpose === 'phone-change'
    ? { type: 'ChangePhone', data: userCommands.ChangePhone.parse(confirms) }
    : { type: 'Activate', data: {} };

const unlessRefused = (error: unknown): void => {
  if (!(error instanceof Refused)) throw error;
};
