// Records a random but seeded history as the service does: with commands on every aggregate.
import fc from 'fast-check';
import type { CommandContext } from '../../src/commands/context.js';
import { type CommandHandler, commandHandler } from '../../src/commands/handle-command.js';
import { seededIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import type { Decider, Of, Schemas } from '../../src/domain/decider.js';
import { DomainError } from '../../src/domain/errors.js';
import { type Institution, institution } from '../../src/domain/institution.js';
import type { Form } from '../../src/domain/protocol/form.js';
import { protocol } from '../../src/domain/protocol/protocol.js';
import { formOf, type Protocol } from '../../src/domain/protocol/state.js';
import { type Specialty, specialty } from '../../src/domain/specialty.js';
import { profileTypes } from '../../src/domain/user/events.js';
import type { User } from '../../src/domain/user/state.js';
import { user } from '../../src/domain/user/user.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { aimed, beginning, knownIn, laterRequest } from '../domain/protocol/arbitraries.js';
import { Random } from '../support/random.js';

const STARTED_AT = Date.parse('2026-01-05T08:00:00.000Z');

/** The aggregates that commands are drawn for. Repetition is weight. */
const DRAWN = [
  ...(['institution', 'institution', 'specialty', 'user', 'user'] as const),
  ...(['protocol', 'protocol', 'protocol', 'protocol', 'protocol'] as const),
];

/** A command before its schema parses it. */
interface Sent {
  readonly type: string;
  readonly data: object;
}

/** Sends random commands one after the other. */
export class Historian {
  /** Maps ids to the states of the aggregates after their last commands. */
  readonly protocols = new Map<string, Protocol>();
  readonly institutions = new Map<string, Institution>();
  readonly specialties = new Map<string, Specialty>();
  readonly users = new Map<string, User>();
  readonly #random: Random;
  readonly #handle: CommandHandler;
  readonly #erasing: (person: string) => Promise<unknown>;
  #sent = 0;

  /** Calls `erasing` before a person is erased. */
  constructor(facts: Facts, seed: number, erasing: (person: string) => Promise<unknown> = async () => undefined) {
    this.#erasing = erasing;
    this.#random = new Random(seed);
    const streams = new Streams(facts, () => new Date(STARTED_AT + this.#sent * 1_000));
    this.#handle = commandHandler(streams, unguarded);
  }

  /** Sends this many commands. The aggregates refuse a few of them. */
  async record(commands: number): Promise<this> {
    const seed = this.#random.integer(0, 2 ** 31);
    for (const [first, later] of fc.sample(fc.tuple(beginning, laterRequest), { seed, numRuns: commands })) {
      const drawn = this.institutions.size === 0 ? 'institution' : (this.#random.pick(DRAWN) ?? 'protocol');
      await this.#to[drawn](first, later);
    }
    return this;
  }

  readonly #to: Readonly<
    Record<(typeof DRAWN)[number], (first: Sent, later: Parameters<typeof aimed>[0]) => Promise<void>>
  > = {
    institution: () => this.#toInstitution(),
    specialty: () => this.#toSpecialty(),
    user: () => this.#toUser(),
    protocol: (first, later) => this.#toProtocol(first, later),
  };

  async #toInstitution(): Promise<void> {
    const { target, state } = this.#target(this.institutions);
    await this.#send(institution, target, institutionRequest(this.#random, state), this.institutions);
  }

  async #toSpecialty(): Promise<void> {
    const { target, state } = this.#target(this.specialties);
    const name = `${this.#random.pick(NAMES)} ${this.#random.integer(1, 99)}`;
    const type = state === undefined ? 'CreateSpecialty' : 'ReviseSpecialty';
    const data = this.#random.pick([{ name }, { name, description: null }, { name, enabled: false }]) ?? { name };
    await this.#send(specialty, target, { type, data }, this.specialties);
  }

  async #toUser(): Promise<void> {
    const { target, state } = this.#target(this.users);
    const institution = this.#random.pick([...this.institutions.values()]);
    const request = userRequest(this.#random, state, institution);
    if (request.type === 'EraseUser') await this.#erasing(target);
    // A registration is always a new user, also after an erasure.
    await this.#send(user, request.type === 'RegisterUser' ? 'new' : target, request, this.users);
  }

  async #toProtocol(first: Sent, later: Parameters<typeof aimed>[0]): Promise<void> {
    const { target, state } = this.#target(this.protocols);
    const institutionId = this.#random.pick([...this.institutions.keys()]);
    const begin = { type: first.type, data: { ...first.data, institutionId } };
    const command = state === undefined ? begin : aimed(later, knownIn(formsOf(state)));
    await this.#send(protocol, target, command, this.protocols);
  }

  #target<S>(known: ReadonlyMap<string, S>) {
    const id = this.#random.chance(0.12) ? undefined : this.#random.pick([...known.keys()]);
    return id === undefined ? { target: 'new', state: undefined } : { target: id, state: known.get(id) };
  }

  async #send<S, E extends Schemas, C extends Schemas>(
    decider: Decider<S, E, C>,
    target: string,
    { type, data }: Sent,
    known: Map<string, S>,
  ): Promise<void> {
    this.#sent += 1;
    const parsed = decider.commands[type]?.safeParse(data);
    if (parsed?.success !== true) return;
    try {
      const outcome = await this.#handle(decider, target, { type, data: parsed.data } as Of<C>, this.#context());
      known.set(outcome.id, outcome.state);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  #context(): CommandContext {
    return {
      actor: { id: 'anonymous', roles: [] },
      correlationId: this.#random.hex(32),
      causationId: 'request-1',
      ids: seededIds({ random: this.#random.hex(32), at: STARTED_AT + this.#sent }),
      resumed: false,
    };
  }
}

/** Returns every form of a protocol, the newest first. */
export const formsOf = (state: Protocol): Form[] => {
  const forms: Form[] = [];
  let next = state.status === 'unknown' ? null : state.latestFormId;
  while (next !== null) {
    const form = formOf(state, next);
    forms.push(form);
    next = form.copiedFrom;
  }
  return forms;
};

const NAMES = ['Hospital São Lucas', 'hospital sao bento', 'ÉCLAIR', 'Zürich Klinik', 'Ward 9', '漢方クリニック', '🩺'];

const institutionRequest = (random: Random, state: Institution | undefined): Sent => {
  const name = `${random.pick(NAMES)} ${random.integer(1, 99)}`;
  const address = random.pick(['Rua das Flores, 100', null]);
  const unity = { name, address };
  if (state?.status !== 'active') return { type: 'CreateInstitution', data: { name, unities: [unity, unity] } };
  const unityId = random.pick(state.fields.unities)?.id;
  const requests: Sent[] = [
    { type: 'ReviseInstitution', data: { name } },
    { type: 'ReviseInstitution', data: { address } },
    { type: 'AddUnity', data: unity },
    { type: 'ReviseUnity', data: { ...unity, unityId } },
  ];
  return random.pick(requests) ?? { type: 'ReviseInstitution', data: {} };
};

const profileRequest = (random: Random): object => ({
  type: random.pick(profileTypes),
  documentDoctor: random.pick(['CRM/SP 123456', null]),
  documentDoctorUpdatedAt: random.pick(['2025-12-31', null]),
  specialties: random.pick([[], [newUuid(random)]]),
});
const newUuid = (random: Random) => `${random.hex(8)}-0000-7000-8000-${random.hex(12)}`;

const userRequest = (random: Random, state: User | undefined, institution: Institution | undefined): Sent => {
  const email = `${random.pick(['Ana', 'bia', 'EVA'])}${random.integer(1, 99)}@example.org`;
  // An erased user stays erased: later commands for that user are refused.
  if (state === undefined || state.status === 'unknown') {
    const profiles = [profileRequest(random), profileRequest(random)];
    const person = { firstName: random.pick(NAMES), lastName: 'Souza', email, acceptedTerms: true, profiles };
    return { type: 'RegisterUser', data: person };
  }
  const decision = { profileId: random.pick(state.fields.profiles)?.id, reason: random.pick(['a reason', null]) };
  const rejected = state.fields.profiles.filter(({ approvalStatus }) => approvalStatus === 'REJECTED');
  const again = { profileId: random.pick(rejected)?.id ?? decision.profileId };
  const { id, name, unities } = institution?.status === 'active' ? institution.fields : { unities: [] };
  const unity = random.pick(unities);
  const requests: Sent[] = [
    { type: 'ReviseUser', data: { email, document: random.pick(['529.982.247-25', null]) } },
    { type: 'ReviseUser', data: { birthDate: '1984-02-29', enabled: random.chance(0.5) } },
    { type: 'ReviseUser', data: { lastName: `Souza ${random.integer(1, 99)}`, reapproval: true } },
    { type: 'ReviseUser', data: { lastName: `Lima ${random.integer(1, 99)}`, reapproval: true } },
    { type: 'ConfirmSignInEmail', data: { email: state.fields.email } },
    { type: 'SetSignInEmail', data: { email, operator: 'Rui Alves' } },
    { type: 'AddProfile', data: profileRequest(random) },
    { type: 'ApproveProfile', data: decision },
    { type: 'ApproveProfile', data: decision },
    { type: 'RejectProfile', data: decision },
    { type: 'RejectProfile', data: decision },
    { type: 'ResubmitProfile', data: { ...profileRequest(random), ...again } },
    { type: 'ResubmitProfile', data: again },
    { type: 'ChangePhone', data: { dialingCode: '55', phone: `11 9${random.integer(10_000_000, 99_999_999)}` } },
    { type: 'Activate', data: {} },
    { type: 'ChangePassword', data: { by: random.pick(['change', 'reset']) } },
    { type: 'AttachToInstitution', data: { institutionId: id, name } },
    {
      type: 'AttachToUnity',
      data: { institutionId: id, institutionName: name, unityId: unity?.id, name: unity?.name },
    },
  ];
  const erase = { type: 'EraseUser', data: { reason: 'asked for' } };
  return random.chance(0.05) ? erase : (random.pick(requests) ?? erase);
};
