// Tests how an administrator who opens the page of the job queues signs in first, and then sees it.
import { afterAll, beforeAll, it } from 'vitest';
import { administratorBy } from '../http/support/callers.js';
import { temporaryDirectory } from '../support/directory.js';
import { run } from '../support/process.js';
import { withRedisServer } from '../support/redis.js';
import { RedisProcess } from '../support/redis-server.js';
import { Server } from '../support/server.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { loaded, sendSignIn } from './support/steps.js';

const BOARD = '/admin/queues';

withRedisServer('the page of the queues in a browser', () =>
  inBrowser('the page of the queues in a browser', () => {
    let redis: RedisProcess;
    let server: Server;
    const open = windowsOf({
      get url() {
        return server.url;
      },
    });
    beforeAll(async () => {
      redis = await RedisProcess.on(temporaryDirectory());
      await redis.start();
      server = new Server(temporaryDirectory(), { REDIS_URL: redis.url, AUTH: 'required' });
      await server.start();
    });
    afterAll(async () => {
      await server?.stop();
      await redis?.end('SIGKILL');
    });

    it('comes after the sign-in of an administrator who opened its address', async () => {
      const environment = { REDIS_URL: redis.url, AUTH: 'required', DATA_DIR: server.directory };
      const { email } = await administratorBy(server, (command, input) =>
        run('cli', { environment, arguments: command, input }),
      );
      const { page, newTab } = await open();
      await page.goto(BOARD);
      await page.waitForURL(`**/console/sign-in?next=${BOARD}`);
      await loaded(page);
      await sendSignIn(page, email);
      await page.waitForURL(({ pathname }) => pathname === BOARD);
      await page.getByRole('link', { name: 'upkeep' }).first().waitFor();
      const other = await newTab();
      await other.goto(`${BOARD}/queue/upkeep`);
      await other.getByRole('heading', { name: 'upkeep' }).waitFor();
    });
  }),
);
