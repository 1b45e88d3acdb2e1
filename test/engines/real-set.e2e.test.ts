// The whole service on EventStoreDB, MongoDB and Redis (or what stands in for them): two http processes and two workers,
// one of which is killed on the way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createInstitution,
  createQuestionnaire,
  type Form,
  type Institution,
  type Page,
  type Protocol,
  type Questionnaire,
  successful,
} from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { withMongo } from '../support/mongodb.js';
import { run, WorkerProcess } from '../support/process.js';
import { withRedis } from '../support/redis.js';
import { Server } from '../support/server.js';

withMongo('the whole service on the real set', (mongo) =>
  withRedis('the whole service on the real set', (redis) =>
    describe('the whole service on the real set', () => {
      const givenStore = process.env['EVENTSTORE_URL'];
      const store = new EventStoreDbServer({ directory: temporaryDirectory() });
      const servers: Server[] = [];
      const workers: WorkerProcess[] = [];
      let engines: Readonly<Record<string, string>> = {};
      let institution: Institution;

      const [one, other] = [() => serverAt(0), () => serverAt(1)];
      const serverAt = (index: number): Server => {
        const server = servers[index];
        if (server === undefined) throw new Error('the servers are started before the tests');
        return server;
      };
      const storeUrl = async () => {
        if (givenStore === undefined) await store.start();
        return givenStore ?? store.url;
      };

      beforeAll(async () => {
        engines = {
          EVENTSTORE_URL: await storeUrl(),
          MONGODB_URL: mongo.newUrl(),
          REDIS_URL: redis.url,
          MASTER_KEY: TEST_MASTER_KEY,
        };
        for (const directory of [temporaryDirectory(), temporaryDirectory()]) {
          workers.push(await WorkerProcess.start(directory, engines));
          servers.push(new Server(directory, { ...engines, ROLES: 'http' }));
        }
        await Promise.all(servers.map((server) => server.start()));
        institution = await createInstitution(one());
      });
      afterAll(async () => {
        await Promise.all(servers.map((server) => server.stop()));
        for (const worker of workers) await worker.kill();
        if (givenStore === undefined) await store.stop();
      });

      it('answers a write of one http process from the other', async () => {
        const { protocol, form } = await createQuestionnaire(one(), institution.id);
        const read = await other().get<Questionnaire>(`/protocols/${protocol.id}/questionnaire`);
        expect(read.body).toEqual({ protocol, form, scoreRanges: form.scoreRanges });
      });

      it('answers own writes at once', async () => {
        for (let count = 0; count < 20; count += 1) {
          const { protocol, form } = await createQuestionnaire(one(), institution.id);
          const read = await one().get<Form>(`/protocols/${protocol.id}/forms/${form.id}`);
          expect(read.body).toEqual(form);
        }
      });

      it('gives 50 writers of both processes 50 consecutive form versions', async () => {
        const { protocol } = await createQuestionnaire(one(), institution.id);
        const made = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            serverAt(index % 2).post<Form>(`/protocols/${protocol.id}/forms/versions`),
          ),
        );
        const versions = made.map((answer) => successful(answer).body.version).sort((a, b) => a - b);
        expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
      });

      it('gives a repeated Idempotency-Key one effect, also through the other process', async () => {
        const body = { institutionId: institution.id, name: 'Once' };
        const key = { 'Idempotency-Key': 'once-on-the-real-set' };
        const [first, second] = [
          await one().post('/protocols', body, key),
          await other().post('/protocols', body, key),
        ];
        expect(second.body).toEqual(first.body);
        await eventually(async () => {
          const { items } = (await one().get<Page<Protocol>>('/protocols?name=Once')).body;
          expect(items).toHaveLength(1);
        });
      });

      it('goes on projecting when a worker is killed', async () => {
        await workers[0]?.kill();
        const { protocol } = await createQuestionnaire(one(), institution.id, { name: 'After the kill' });
        await eventually(async () => {
          const { items } = (await other().get<Page<Protocol>>('/protocols?name=after the kill')).body;
          expect(items).toEqual([protocol]);
        });
      });

      it('answers as before while and after its read model is rebuilt', async () => {
        const list = '/protocols?limit=200';
        const before = (await one().get(list)).body;
        const rebuilt = await run('cli', { environment: engines, arguments: ['projections', 'rebuild', 'protocols'] });
        expect(rebuilt.code, rebuilt.err).toBe(0);
        expect((await one().get(list)).body).toEqual(before);
      });
    }),
  ),
);
