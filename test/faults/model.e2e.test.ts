// Sends random commands to the service on the distributed engines and applies them to a model in memory, while the
// service and each of its engines restart. SEED determines the commands, ROUNDS how often every server restarts.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Form, FormVersion, Institution, Page, Protocol } from '../http/samples.js';
import { successful } from '../http/samples.js';
import type { ClientResponse } from '../support/client.js';
import { EngineSet } from '../support/engine-set.js';
import { repetitions } from '../support/repetitions.js';
import { expectConsecutive } from './kill-check.js';
import { type Engines, enginesOf, expectReadModelsAsFresh, onRealSet, startedOn, type WatchedServer } from './sets.js';

const SEED = Number(process.env['SEED'] ?? 20_260_108);
const ROUNDS = repetitions('ROUNDS');
const WRITES_BETWEEN = 8;
const RETRYING_MS = 90_000;

/** The acknowledged state. */
interface Model {
  readonly institutions: Institution[];
  readonly protocols: { body: Protocol; readonly forms: string[] }[];
  /** Maps the names of institutions that were sent without an Idempotency-Key to whether they were acknowledged. */
  readonly sent: Map<string, boolean>;
}

interface Real {
  readonly set: EngineSet;
  readonly engines: Engines;
  readonly server: WatchedServer;
}

/** One write; `pick` selects the existing institution or protocol that it changes. */
interface Step {
  readonly kind: keyof typeof writes;
  readonly pick: number;
  readonly name: string;
}

type Write = (server: WatchedServer, model: Model, step: Step) => Promise<void>;

const key = (): Record<string, string> => ({ 'Idempotency-Key': randomUUID() });

/** Sends a request until it succeeds, because an outage may be over at the next attempt. */
const retried = async <T>(ask: () => Promise<ClientResponse<T>>): Promise<ClientResponse<T>> =>
  vi.waitFor(async () => successful(await ask()), { timeout: RETRYING_MS, interval: 50 });

const picked = <T>(items: readonly T[], pick: number): T => {
  const item = items[pick % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
};

const writes = {
  'create an institution': async (server, { institutions }, { name }) => {
    const headers = key();
    const { body } = await retried(() => server.post<Institution>('/institutions', { name }, headers));
    institutions.push(body);
  },
  'revise an institution': async (server, { institutions }, { pick, name }) => {
    const headers = key();
    const { id } = picked(institutions, pick);
    const { body } = await retried(() => server.put<Institution>(`/institutions/${id}`, { name }, headers));
    institutions[institutions.findIndex((other) => other.id === id)] = body;
  },
  'create a protocol': async (server, { institutions, protocols }, { pick, name }) => {
    const headers = key();
    const institutionId = picked(institutions, pick).id;
    const { body } = await retried(() => server.post<Protocol>('/protocols', { institutionId, name }, headers));
    protocols.push({ body, forms: [] });
  },
  'revise a protocol': async (server, { protocols }, { pick, name }) => {
    const headers = key();
    const protocol = picked(protocols, pick);
    const path = `/protocols/${protocol.body.id}`;
    protocol.body = (await retried(() => server.put<Protocol>(path, { name }, headers))).body;
  },
  'make a form version': async (server, { protocols }, { pick }) => {
    const headers = key();
    const { body, forms } = picked(protocols, pick);
    const path = `/protocols/${body.id}/forms/versions`;
    forms.push((await retried(() => server.post<Form>(path, undefined, headers))).body.id);
  },
  'create an institution once, without a key': async (server, { sent }, { name }) => {
    const unique = `${name} ${randomUUID()}`;
    sent.set(unique, false);
    const response = await server.post('/institutions', { name: unique }).catch(() => undefined);
    if (response !== undefined && response.status !== 503) expect(response.status).toBe(201);
    sent.set(unique, response?.status === 201);
  },
} as const satisfies Record<string, Write>;

const restarts: Readonly<Record<string, (real: Real) => Promise<void>>> = {
  'kill the service': async ({ server }) => {
    await server.kill();
    await server.start();
  },
  'restart the service': ({ server }) => server.restart(),
  'kill EventStoreDB': ({ set }) => set.facts.restart(),
  'kill MongoDB': async ({ set }) => {
    await set.mongo.end('SIGKILL');
    await set.mongo.start();
  },
  'kill Redis': async ({ set }) => {
    await set.redis.end('SIGKILL');
    await set.redis.start();
  },
};

/** Sends writes one after the other, and then concurrent writes while a server restarts. */
class Round implements fc.AsyncCommand<Model, Real> {
  readonly #steps: readonly Step[];
  readonly #meanwhile: string;

  constructor(steps: readonly Step[], meanwhile: string) {
    this.#steps = steps;
    this.#meanwhile = meanwhile;
  }

  check({ institutions, protocols }: Model): boolean {
    return institutions.length > 0 && protocols.length > 0;
  }

  async run(model: Model, real: Real): Promise<void> {
    const half = this.#steps.length / 2;
    for (const step of this.#steps.slice(0, half)) await writes[step.kind](real.server, model, step);
    // The concurrent writes only create, so that the model does not depend on their order.
    const concurrent = this.#steps.slice(half).filter(({ kind }) => kind.startsWith('create'));
    const underWay = concurrent.map((step) => writes[step.kind](real.server, model, step));
    await restarts[this.#meanwhile]?.(real);
    await Promise.all(underWay);
  }

  toString(): string {
    return `${this.#steps.map(({ kind }) => kind).join(', ')}; ${this.#meanwhile}`;
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(Object.keys(writes) as Step['kind'][])),
  pick: fc.nat(),
  name: fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map((text) => `Name ${text}.`),
});

/** Generates rounds; every server restarts ROUNDS times, in random order. */
const rounds: fc.Arbitrary<Round[]> = fc
  .array(fc.shuffledSubarray(Object.keys(restarts), { minLength: Object.keys(restarts).length }), {
    minLength: ROUNDS,
    maxLength: ROUNDS,
  })
  .map((orders) => orders.flat())
  .chain((order) =>
    fc.tuple(
      ...order.map((meanwhile) =>
        fc
          .array(step, { minLength: WRITES_BETWEEN * 2, maxLength: WRITES_BETWEEN * 2 })
          .map((steps) => new Round(steps, meanwhile)),
      ),
    ),
  );

const expectReadBack = async (server: WatchedServer, { institutions, protocols }: Model): Promise<void> => {
  for (const institution of institutions) {
    expect((await server.get(`/institutions/${institution.id}`)).body).toEqual(institution);
  }
  for (const { body, forms } of protocols) {
    expect((await server.get(`/protocols/${body.id}`)).body).toEqual(body);
    const versions = successful(await server.get<Page<FormVersion>>(`/protocols/${body.id}/forms?limit=200`)).body
      .items;
    expect(versions.map(({ id }) => id)).toEqual(expect.arrayContaining(forms));
    expect(versions).toHaveLength(forms.length);
  }
};

const expectOnceOrNotAtAll = ({ logged }: Engines, { sent }: Model): void => {
  const names = logged().map(({ data }) => data['name']);
  for (const [name, isAcknowledged] of sent) {
    const times = names.filter((other) => other === name).length;
    expect(times, name).toBeGreaterThanOrEqual(Number(isAcknowledged));
    expect(times, name).toBeLessThanOrEqual(1);
  }
};

const newModel = async (server: WatchedServer): Promise<Model> => {
  const model: Model = { institutions: [], protocols: [], sent: new Map() };
  await writes['create an institution'](server, model, { kind: 'create an institution', pick: 0, name: 'First' });
  await writes['create a protocol'](server, model, { kind: 'create a protocol', pick: 0, name: 'First' });
  return model;
};

onRealSet(`a service on the distributed engines whose servers are restarted (seed ${SEED})`, () => {
  it(
    'equals the model: acknowledged writes exist once, and other writes at most once',
    async () => {
      const set = await EngineSet.start();
      onTestFinished(() => set.end());
      const engines = enginesOf(set);
      const server = await startedOn(engines);
      const property = fc.asyncProperty(rounds, async (commands) => {
        const model = await newModel(server);
        await fc.asyncModelRun(() => ({ model, real: { set, engines, server } }), commands);
        await vi.waitFor(async () => expect((await server.get('/readyz')).status).toBe(200), RETRYING_MS);
        await expectReadModelsAsFresh(engines);
        await expectReadBack(server, model);
        expectOnceOrNotAtAll(engines, model);
        expectConsecutive(engines.logged());
      });
      // The outcome depends on time, so a failure cannot be shrunk.
      await fc.assert(property, { numRuns: 1, seed: SEED, endOnFailure: true });
      expect(server.uncaught).toEqual([]);
    },
    120_000 * (ROUNDS + 1),
  );
});
