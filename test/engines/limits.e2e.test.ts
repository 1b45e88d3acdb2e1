// Rate limits over two http processes with one Redis, which is stopped in the middle.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../http/refusals.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { withRedisServer } from '../support/redis.js';
import { RedisProcess } from '../support/redis-server.js';
import { Server } from '../support/server.js';

withRedisServer('rate limits over two processes', () =>
  describe('rate limits over two processes', () => {
    let redis: RedisProcess;
    let servers: readonly Server[] = [];

    beforeAll(async () => {
      redis = await RedisProcess.on(temporaryDirectory());
      await redis.start();
      const directory = temporaryDirectory();
      // 24 requests a minute of an address, to sign in and to what has no policy of its own.
      servers = [0, 1].map(() => new Server(directory, { REDIS_URL: redis.url, RATE_LIMITS: '0.04' }));
      for (const server of servers) await server.start();
    });
    afterAll(async () => {
      for (const server of servers) await server.stop();
      await redis.end('SIGKILL');
    });

    const [one, other] = [() => serverAt(0), () => serverAt(1)];
    const serverAt = (index: number): Server => {
      const server = servers[index];
      if (server === undefined) throw new Error('there are two');
      return server;
    };
    const ask = (server: Server) => server.get('/auth-service/nothing');
    const isUsedUp = async (server: Server) => expectProblem(await ask(server), 429, 'too-many-requests');
    const useUp = async (server: Server): Promise<void> => {
      while ((await ask(server)).status !== 429);
    };
    const saying = (server: Server, words: string) =>
      server.log.filter(({ msg }) => `${msg}`.startsWith(words)).map(({ level }) => level);
    const begun = (server: Server) => saying(server, 'rate limits are not shared');
    const ended = (server: Server) => saying(server, 'all processes share rate limits');

    it('are one count', async () => {
      await eventually(async () => {
        await useUp(one());
        await isUsedUp(other());
      });
    });

    it('are counted by each while Redis is unavailable, which the log says once', async () => {
      await eventually(() =>
        servers.forEach((server) => {
          expect(ended(server).length).toBe(begun(server).length);
        }),
      );
      const before = servers.map((server) => [begun(server).length, ended(server).length]);
      await redis.end('SIGKILL');
      for (const server of servers) {
        // Of sign-ins it has counted none yet.
        const asked = Array.from({ length: 60 }, () => server.post('/auth-service/auth', {}));
        const statuses = (await Promise.all(asked)).map(({ status }) => status);
        expect(new Set(statuses)).toEqual(new Set([400, 429]));
      }
      for (const [index, server] of servers.entries()) {
        await eventually(() => expect(begun(server).length).toBe((before[index]?.[0] ?? 0) + 1));
        expect(ended(server).length).toBe(before[index]?.[1]);
        expect(new Set(begun(server))).toEqual(new Set([40]));
      }
    });

    it('are one count again when it is back, which the log says once', async () => {
      const before = servers.map((server) => ended(server).length);
      await redis.start();
      for (const [index, server] of servers.entries()) {
        await eventually(async () => {
          await ask(server);
          expect(ended(server).length).toBe((before[index] ?? 0) + 1);
        });
      }
      await eventually(async () => {
        await useUp(other());
        await isUsedUp(one());
      });
    });
  }),
);
