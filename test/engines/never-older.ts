// Runs clients that write and read the same protocols at several http processes, each with the Consistency-Token of its
// last write, and records which states each client saw in which order.
import { expect } from 'vitest';
import {
  createInstitution,
  createProtocol,
  nth,
  numbered,
  type Page,
  type Protocol,
  successful,
} from '../http/samples.js';
import type { Client, ClientResponse } from '../support/client.js';
import { Random } from '../support/random.js';

const CLIENTS = 6;
const PROTOCOLS = 3;

interface Seen {
  readonly id: string;
  readonly name: string;
  /** Says how and at which process the client saw it, for the message of a failure. */
  readonly how: string;
}

/** The state that the clients share: the protocols, and the revision of each name. */
interface World {
  readonly processes: readonly Client[];
  readonly institutionId: string;
  readonly ids: readonly string[];
  readonly revisions: Map<string, number>;
}

/** Has several clients take `steps` steps each, and expects that no client sees an older state than before. */
export const expectNeverOlder = async (processes: readonly Client[], steps: number, seed: number): Promise<void> => {
  const writer = nth(processes, 0);
  const { id: institutionId } = await createInstitution(writer);
  const revisions = new Map<string, number>();
  const ids = await Promise.all(
    numbered(PROTOCOLS, async (n) => {
      const { id, name } = await createProtocol(writer, institutionId, { name: `Protocol ${n}` });
      revisions.set(name, 0);
      return id;
    }),
  );
  const world = { processes, institutionId, ids, revisions };
  const clients = numbered(CLIENTS, (n) => new TokenClient(world, n, seed + n));
  await Promise.all(clients.map((client) => client.take(steps)));
  expect(clients.flatMap((client) => client.stepsBack())).toEqual([]);
};

class TokenClient {
  readonly #world: World;
  readonly #number: number;
  readonly #random: Random;
  readonly #seen: Seen[] = [];
  #token: Record<string, string> = {};

  constructor(world: World, number: number, seed: number) {
    this.#world = world;
    this.#number = number;
    this.#random = new Random(seed);
  }

  async take(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      const at = this.#random.integer(0, this.#world.processes.length - 1);
      const id = this.#random.pick(this.#world.ids) ?? '';
      const kinds = [
        () => this.#write(at, id, step),
        () => this.#read(at, id),
        () => this.#read(at, id),
        () => this.#list(at),
      ];
      await this.#random.pick(kinds)?.();
    }
  }

  /** Returns a line for each time that the client saw an older state than before. */
  stepsBack(): readonly string[] {
    const newest = new Map<string, number>();
    return this.#seen.flatMap(({ id, name, how }) => {
      const revision = this.#world.revisions.get(name) ?? Number.NaN;
      const before = newest.get(id) ?? 0;
      newest.set(id, Math.max(before, revision));
      return revision >= before
        ? []
        : [`client ${this.#number}, ${how}: revision ${revision} of ${id} after ${before}`];
    });
  }

  async #write(at: number, id: string, step: number): Promise<void> {
    const name = `Name ${step} by ${this.#number}`;
    const { headers } = successful(await this.#at(at).put<Protocol>(`/protocols/${id}`, { name }));
    this.#world.revisions.set(name, Number(headers.get('etag')?.replaceAll('"', '')));
    this.#token = { 'Consistency-Token': `${headers.get('consistency-token')}` };
    this.#seen.push({ id, name, how: `written at ${at}` });
  }

  async #read(at: number, id: string): Promise<void> {
    const { body } = await this.#caughtUp(() => this.#at(at).get<Protocol>(`/protocols/${id}`, this.#token));
    this.#seen.push({ id, name: body.name, how: `read at ${at}` });
  }

  async #list(at: number): Promise<void> {
    const path = `/protocols?institutionId=${this.#world.institutionId}`;
    const { body } = await this.#caughtUp(() => this.#at(at).get<Page<Protocol>>(path, this.#token));
    for (const { id, name } of body.items) this.#seen.push({ id, name, how: `listed at ${at}` });
  }

  // On a busy machine a read model may need longer than the service waits for it.
  async #caughtUp<T>(ask: () => Promise<ClientResponse<T>>): Promise<ClientResponse<T>> {
    for (;;) {
      const response = await ask();
      if (response.status !== 503) return successful(response);
    }
  }

  #at(process: number): Client {
    return nth(this.#world.processes, process);
  }
}
