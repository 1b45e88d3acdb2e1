// Tests rate limits in two http processes with one Redis, which is killed and started again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../http/support/refusals.js';
import { directoriesOfFile, temporaryDirectory } from '../support/directory.js';
import { Engines, withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { RedisProcess } from '../support/redis-server.js';
import { Server } from '../support/server.js';

withEngines('rate limits over two processes', () =>
  describe('rate limits over two processes', () => {
    const engines = new Engines(directoriesOfFile);
    let redis: RedisProcess;
    let servers: readonly Server[] = [];

    beforeAll(async () => {
      redis = await RedisProcess.on(temporaryDirectory());
      await redis.start();
      await engines.start();
      const environment = { ...engines.urls, REDIS_URL: redis.url, RATE_LIMITS: '0.04' };
      // An address may send 24 requests a minute to sign in, and 24 to routes without a class of their own.
      servers = [0, 1].map(() => new Server(temporaryDirectory(), environment));
      for (const server of servers) await server.start();
    });
    afterAll(async () => {
      for (const server of servers) await server.stop();
      await redis.end('SIGKILL');
      await engines.end();
    });

    const [one, other] = [() => serverAt(0), () => serverAt(1)];
    const serverAt = (index: number): Server => {
      const server = servers[index];
      if (server === undefined) throw new Error(`there is no server ${index}`);
      return server;
    };
    const request = (server: Server) => server.get('/auth-service/nothing');
    const expectUsedUp = async (server: Server) => expectProblem(await request(server), 429, 'too-many-requests');
    const useUp = async (server: Server): Promise<void> => {
      while ((await request(server)).status !== 429);
    };
    const levelsOf = (server: Server, message: string) =>
      server.log.filter(({ msg }) => `${msg}`.startsWith(message)).map(({ level }) => level);
    const outages = (server: Server) => levelsOf(server, `Redis at ${new URL(redis.url).host} cannot be used`);

    it('share one count', async () => {
      await eventually(async () => {
        await useUp(one());
        await expectUsedUp(other());
      });
    });

    it('are counted by each process while Redis is unavailable, and the log reports it once', async () => {
      const before = servers.map((server) => outages(server).length);
      await redis.end('SIGKILL');
      for (const server of servers) {
        // The process has counted no sign-in yet.
        const requests = Array.from({ length: 60 }, () => server.post('/auth-service/auth', {}));
        const statuses = (await Promise.all(requests)).map(({ status }) => status);
        expect(new Set(statuses)).toEqual(new Set([400, 429]));
      }
      for (const [index, server] of servers.entries()) {
        await eventually(() => expect(outages(server).length).toBe((before[index] ?? 0) + 1));
        expect(new Set(outages(server))).toEqual(new Set([40]));
      }
    });

    it('share one count again when Redis is available', async () => {
      await redis.start();
      await eventually(async () => {
        await useUp(other());
        await expectUsedUp(one());
      });
    });
  }),
);
