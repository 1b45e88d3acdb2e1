// Tests the whole service on EventStoreDB, MongoDB and Redis (or their stand-ins), with two http processes and two
// workers. One worker is killed on the way.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/readiness.js';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { allProjections } from '../../src/projections/all.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  type Institution,
  numbered,
  type Page,
  type Protocol,
  type ProtocolAndForm,
  type Questionnaire,
  questionnaire,
  successful,
} from '../http/support/samples.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import type { Client, ClientResponse } from '../support/client.js';
import { withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { nth, numbers } from '../support/items.js';
import { run } from '../support/process.js';
import { Random } from '../support/random.js';
import { RealService } from '../support/real-service.js';
import { repetitions } from '../support/repetitions.js';
import type { Server } from '../support/server.js';

const STEPS = repetitions('CONSISTENT_STEPS');

withEngines('the whole service on the distributed engines', () =>
  describe('the whole service on the distributed engines', () => {
    const service = new RealService();
    let institution: Institution;

    const [one, other] = [() => serverAt(0), () => serverAt(1)];
    const serverAt = (index: 0 | 1): Server => service.http[index];

    const runCli = (...command: readonly string[]) => run('cli', { environment: service.engines, arguments: command });
    const readiness = async () => (await other().get<Readiness>('/readyz')).body;
    /** Appends an event that the read model of protocols cannot fold. Returns the position of the event. */
    const spoil = async (stream: string): Promise<string> => {
      const facts = new EventStoreDbFacts(service.engines.EVENTSTORE_URL);
      let revision = -1;
      for await (const event of facts.readStream(stream)) revision = event.revision;
      const event = { ...newEvent(null), type: 'ProtocolQuestionAdded' };
      const { position } = written(await facts.append(stream, revision, [event]));
      await facts.close();
      return position;
    };

    beforeAll(async () => {
      await service.start();
      institution = await createInstitution(one());
    });
    afterAll(() => service.end());

    it('shows a write of one http process to a reader of the other process who sends the Consistency-Token', async () => {
      const sent = questionnaire(institution.id);
      const made = successful(await one().post<ProtocolAndForm>('/protocols/questionnaires', sent));
      const { protocol, form } = made.body;
      const token = { 'Consistency-Token': `${made.headers.get('consistency-token')}` };
      const read = await other().get<Questionnaire>(`/protocols/${protocol.id}/questionnaire`, token);
      expect(read.body).toEqual({ protocol, form, scoreRanges: form.scoreRanges });
    });

    it(
      'shows a client that sends its Consistency-Token to both processes no older state than it has seen',
      () => expectNeverOlder(service.http, STEPS),
      90_000 + STEPS * 200,
    );

    it('gives 50 writers to both processes 50 consecutive form versions', async () => {
      const { protocol } = await createQuestionnaire(one(), institution.id);
      const made = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          serverAt(index % 2 === 0 ? 0 : 1).post<Form>(`/protocols/${protocol.id}/forms/versions`),
        ),
      );
      const versions = made.map((response) => successful(response).body.version).sort((a, b) => a - b);
      expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
    });

    it('gives a unique name to only one of 50 writers to both processes', async () => {
      const id = randomUUID();
      const body = { name: `Cardiology ${id}` };
      // A busy machine refuses some writers with 503, and each repeats its request.
      const write = (n: number) =>
        eventually(async () => {
          const key = { 'Idempotency-Key': `cardiology-${n}-${id}` };
          const { status } = await serverAt(n % 2 === 0 ? 0 : 1).post('/specialties', body, key);
          expect(status).not.toBe(503);
          return status;
        });
      const statuses = await Promise.all(numbers(1, 50).map(write));
      expect(statuses.sort()).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    });

    it('applies a request once if its Idempotency-Key is repeated, also at the other process', async () => {
      const body = { institutionId: institution.id, name: 'Once' };
      const key = { 'Idempotency-Key': `once-${institution.id}` };
      const [first, second] = [await one().post('/protocols', body, key), await other().post('/protocols', body, key)];
      expect(second.body).toEqual(first.body);
      await eventually(async () => {
        const { items } = (await one().get<Page<Protocol>>(`/protocols?institutionId=${institution.id}&name=Once`))
          .body;
        expect(items).toHaveLength(1);
      });
    });

    it('runs each read model on a worker', async () => {
      await eventually(async () => {
        const { out } = await runCli('projections', 'list');
        expect(out.match(/^ {2}run by .+$/gm)).toHaveLength(allProjections.length);
      });
    });

    it('continues to project when a worker is killed', async () => {
      await (await service.leadingWorker()).kill();
      const { protocol } = await createQuestionnaire(one(), institution.id, { name: 'After the kill' });
      await eventually(async () => {
        const { items } = (
          await other().get<Page<Protocol>>(`/protocols?institutionId=${institution.id}&name=after the kill`)
        ).body;
        expect(items).toEqual([protocol]);
      });
    });

    it('lists the same protocols after their read model is rebuilt', async () => {
      const list = `/protocols?institutionId=${institution.id}&limit=200`;
      const before = (await one().get(list)).body;
      const rebuilt = await runCli('projections', 'rebuild', 'protocols');
      expect(rebuilt.code, rebuilt.err).toBe(0);
      expect((await one().get(list)).body).toEqual(before);
    });

    // The last test, because nothing continues the read model of the shared set.
    it('stops a read model before an event that it cannot fold, and names the event', async () => {
      const { protocol } = await createQuestionnaire(one(), institution.id, { name: 'Spoilt' });
      const position = await spoil(`protocol-${protocol.id}`);
      await eventually(async () => expect(await readiness()).toMatchObject({ status: 'degraded' }));
      expect((await runCli('projections', 'list')).out).toContain(`stopped before ${position}`);
      expect((await one().get(`/protocols/${protocol.id}`)).status).toBe(200);
    });
  }),
);

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

/**
 * Has several clients write and read the same protocols at several processes, each with the Consistency-Token of its last
 * write. Expects that no client sees an older state than before.
 */
const expectNeverOlder = async (processes: readonly Client[], steps: number): Promise<void> => {
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
  const clients = numbered(CLIENTS, (n) => new TokenClient(world, n));
  await Promise.all(clients.map((client) => client.take(steps)));
  expect(clients.flatMap((client) => client.stepsBack())).toEqual([]);
};

class TokenClient {
  readonly #world: World;
  readonly #number: number;
  readonly #random: Random;
  readonly #seen: Seen[] = [];
  #token: Record<string, string> = {};

  constructor(world: World, number: number) {
    this.#world = world;
    this.#number = number;
    this.#random = new Random(number);
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
