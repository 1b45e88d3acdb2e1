// Records a random but seeded history as the service does: with commands on every aggregate.
import fc from 'fast-check';
import { type CommandHandler, commandHandler } from '../../../src/commands/handle-command.js';
import { seededIds } from '../../../src/commands/ids.js';
import { Streams } from '../../../src/commands/streams.js';
import { unguarded } from '../../../src/commands/uniqueness.js';
import type { Of, Schemas } from '../../../src/domain/decider.js';
import { DomainError } from '../../../src/domain/errors.js';
import type { Institution } from '../../../src/domain/institution.js';
import type { Protocol } from '../../../src/domain/protocol/fold.js';
import type { Specialty } from '../../../src/domain/specialty.js';
import type { User } from '../../../src/domain/user/state.js';
import type { Facts } from '../../../src/infrastructure/facts/facts.js';
import {
  institutionMachine,
  type Machine,
  protocolMachine,
  specialtyMachine,
  userMachine,
} from '../../domain/support/machines.js';
import { Random } from '../../support/random.js';

const STARTED_AT = Date.parse('2026-01-05T08:00:00.000Z');

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
  readonly #senders: readonly (() => Promise<void>)[];
  #sent = 0;

  /** Calls `erasing` before a person is erased. */
  constructor(facts: Facts, seed: number, erasing: (person: string) => Promise<unknown> = async () => undefined) {
    this.#erasing = erasing;
    this.#random = new Random(seed);
    const streams = new Streams(facts, () => new Date(STARTED_AT + this.#sent * 1_000));
    this.#handle = commandHandler(streams, unguarded);
    this.#senders = [
      ...this.#sendersOf(institutionMachine, this.institutions, 2),
      ...this.#sendersOf(specialtyMachine, this.specialties, 1),
      ...this.#sendersOf(userMachine, this.users, 3),
      ...this.#sendersOf(protocolMachine, this.protocols, 5),
    ];
  }

  /** Sends this many commands. The aggregates refuse a few of them. */
  async record(commands: number): Promise<this> {
    for (let n = 0; n < commands; n += 1) await this.#random.pick(this.#senders)?.();
    return this;
  }

  /** Returns the function that sends the next command to an aggregate of a kind, as often as its weight says. */
  #sendersOf<S, E extends Schemas, C extends Schemas>(
    machine: Machine<S, E, C>,
    known: Map<string, S>,
    weight: number,
  ): (() => Promise<void>)[] {
    const [beginning, later] = [this.#drawnFrom(machine.beginning), this.#drawnFrom(machine.later)];
    const sendNext = () => {
      const id = this.#random.chance(0.12) ? undefined : this.#random.pick([...known.keys()]);
      const state = known.get(id ?? '') ?? machine.decider.initialState;
      const drawn = id === undefined ? beginning() : later();
      return this.#send(machine, known, { id: id ?? 'new', ...machine.aim(drawn, state) });
    };
    return Array.from({ length: weight }, () => sendNext);
  }

  #drawnFrom<T>(arbitrary: fc.Arbitrary<T>): () => T {
    let drawn: T[] = [];
    const next = (): T => {
      const value = drawn.pop();
      if (value !== undefined) return value;
      drawn = fc.sample(arbitrary, { seed: this.#random.integer(0, 2 ** 31), numRuns: 20 });
      return next();
    };
    return next;
  }

  async #send<S, E extends Schemas, C extends Schemas>(
    { decider }: Machine<S, E, C>,
    known: Map<string, S>,
    { id, type, data }: { readonly id: string; readonly type: string; readonly data: unknown },
  ): Promise<void> {
    this.#sent += 1;
    const parsed = decider.commands[type]?.safeParse(data);
    if (parsed?.success !== true) return;
    if (type === 'EraseUser') await this.#erasing(id);
    const context = {
      actor: { id: 'anonymous', roles: [] },
      correlationId: this.#random.hex(32),
      causationId: 'request-1',
      ids: seededIds({ random: this.#random.hex(32), at: STARTED_AT + this.#sent }),
      resumed: false,
    };
    try {
      const outcome = await this.#handle(decider, id, { type, data: parsed.data } as Of<C>, context);
      known.set(outcome.id, outcome.state);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
}
