// Requests one-time codes while the job queues are unavailable. The requests succeed, and each message is sent once
// later.
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../src/auth/codes/deliveries.js';
import { successful } from '../http/support/samples.js';
import { activate, askForCode, signUp } from '../http/support/signing-up.js';
import type { Client } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { type Mail, mailServer } from '../support/mail-server.js';
import { noEngines } from '../support/no-engines.js';
import { startEngines, startWorker } from '../support/processes.js';
import { newRedisServer, withRedisServer } from '../support/redis.js';
import type { RedisProcess } from '../support/redis-server.js';
import { Server } from '../support/server.js';

interface Readiness {
  readonly status: string;
  readonly faults?: readonly { readonly code: string }[];
}

const resetCode = (client: Client, email: string) => client.post('/auth-service/password/reset-code', { email });

/** Returns the status of `/readyz`, what it says, and the codes of its faults. */
const faultsOf = async (client: Client) => {
  const { status, body } = await client.get<Readiness>('/readyz');
  return [status, body.status, body.faults?.map(({ code }) => code) ?? []];
};

/** Resolves when `/readyz` and the metric report that the queues are reachable or not. */
const reportsReachable = (client: Client, isReachable: boolean): Promise<void> =>
  eventually(async () => {
    expect(await faultsOf(client)).toEqual(isReachable ? [200, 'ready', []] : [200, 'degraded', ['queue-unreachable']]);
    expect(await metric(client, 'queue_reachable')).toBe(Number(isReachable));
  });

/** Returns the value of a metric; undefined if it has none now. */
const metric = async (client: Client, name: string): Promise<number | undefined> => {
  const { body } = await client.get<string>('/metrics');
  const line = body.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
};

/** Resolves when no message is waiting in the vault or in the queue. */
const allSent = (client: Client): Promise<void> =>
  eventually(async () => {
    const names = ['unqueued_messages', `queue_jobs{queue="${NOTIFICATION_QUEUE.name}"}`];
    expect(await Promise.all(names.map((name) => metric(client, name)))).toEqual([0, 0]);
  });

/** Returns a server with its own Redis, and the e-mails that it sends. */
const newServer = async (more: Readonly<Record<string, string>> = {}) => {
  const redis = await newRedisServer();
  await redis.start();
  const { port, mails } = await mailServer();
  const mailing = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'no-reply@example.org' };
  const environment = { ...more, REDIS_URL: redis.url, ...mailing };
  const directory = temporaryDirectory();
  const server = new Server(directory, environment);
  onTestFinished(() => server.stop().then(() => undefined));
  return { redis, mails, environment, directory, server };
};

// The mail client writes the domain of an address in lower case.
const addressees = (mails: readonly Mail[]) => mails.flatMap(({ to }) => to.map((address) => address.toLowerCase()));

const newUser = async (client: Client) => {
  const { id, email } = await signUp(client);
  return { id, email: email.toLowerCase() };
};

/** Ways in which a Redis responds and refuses writes, and their ends. */
const refusals: readonly { readonly what: string; readonly begin: string[][]; readonly end: string[][] }[] = [
  {
    what: 'a replica',
    begin: [['REPLICAOF', '127.0.0.1', '1']],
    end: [['REPLICAOF', 'NO', 'ONE']],
  },
  {
    what: 'out of memory',
    begin: [['CONFIG', 'SET', 'maxmemory', '1']],
    end: [['CONFIG', 'SET', 'maxmemory', '0']],
  },
];

const outages: readonly {
  readonly what: string;
  readonly begin: (redis: RedisProcess) => Promise<void>;
  readonly end: (redis: RedisProcess) => Promise<void>;
}[] = [
  {
    what: 'silent',
    begin: (redis) => redis.signal('SIGSTOP'),
    end: (redis) => redis.signal('SIGCONT'),
  },
  {
    what: 'killed',
    begin: (redis) => redis.end('SIGKILL'),
    end: (redis) => redis.start(),
  },
];

withRedisServer('codes while Redis is unavailable', () => {
  it.each(outages)(
    'while Redis is $what, sign-ups and requests for codes succeed, and each code is sent once',
    async ({ begin, end }) => {
      const { redis, mails, server } = await newServer();
      await server.start();
      const known = await newUser(server);
      await eventually(() => expect(addressees(mails)).toEqual([known.email]));
      await reportsReachable(server, true);

      await begin(redis);
      const user = await newUser(server);
      successful(await askForCode(server, user.id));
      successful(await resetCode(server, known.email));
      await reportsReachable(server, false);
      await eventually(async () => expect(await metric(server, 'unqueued_messages')).toBe(2));
      expect(mails).toHaveLength(1);

      await end(redis);
      await eventually(() => expect(addressees(mails)).toEqual(expect.arrayContaining([user.email, known.email])));
      await reportsReachable(server, true);
      await allSent(server);
      expect(addressees(mails).toSorted()).toEqual([known.email, known.email, user.email].toSorted());
      const mail = mails.find((each) => addressees([each]).includes(user.email));
      successful(await activate(server, user.id, /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? 'none'));
    },
  );

  it.each(refusals)('while Redis is $what, /readyz reports that it takes no jobs', async ({ begin, end }) => {
    const { redis, mails, server } = await newServer();
    await server.start();
    await newUser(server);
    await eventually(() => expect(mails).toHaveLength(1));
    const admin = new Redis(redis.url);
    onTestFinished(() => admin.disconnect());
    for (const [command = '', ...given] of begin) await admin.call(command, ...given);
    await newUser(server);
    await eventually(async () => expect(await faultsOf(server)).toEqual([200, 'degraded', ['queue-unwritable']]));
    for (const [command = '', ...given] of end) await admin.call(command, ...given);
    await eventually(() => expect(mails).toHaveLength(2));
    await reportsReachable(server, true);
  });

  it('a worker sends the code of a sign-up whose process was killed while Redis was silent', async (test) => {
    test.skip(noEngines() !== undefined, noEngines());
    const { redis, mails, environment, directory, server } = await newServer({
      ...(await startEngines()),
      ROLES: 'http',
    });
    await startWorker(directory, environment);
    await server.start();
    await redis.signal('SIGSTOP');
    const { email } = await newUser(server);
    await server.kill();
    await redis.signal('SIGCONT');
    await eventually(() => expect(addressees(mails)).toEqual([email]));
  });
});
