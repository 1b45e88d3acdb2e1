// Only the message contains the code. The vault, the jobs and the log contain neither the code nor the contact in plain
// text.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Codes } from '../../../src/auth/codes/codes.js';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { readConfig } from '../../../src/config.js';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import { openStores } from '../../../src/stores.js';
import { bytesUnder, foundIn, newCanaries } from '../../support/canaries.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { type SharedRedis, withRedis } from '../../support/redis.js';
import { Server } from '../../support/server.js';
import { ALL_PURPOSES, codeIn, codeRequest, codesOn, Inbox, startDelivering } from './codes-harness.js';

const canaries = newCanaries();
const phone = `+55${canaries.phone.replaceAll(/\D/g, '')}`;
const toPhone = { ...codeRequest, owner: phone, to: { userId: 'bia', contact: phone }, channel: 'SMS' } as const;
const toMail = {
  ...codeRequest,
  owner: canaries.email,
  to: { userId: 'ana', contact: canaries.email },
  confirms: canaries,
};

/** Returns whether the bytes contain the code on its own, in ASCII or UTF-16. Six digits may be part of any number. */
const holdsCode = (bytes: Buffer, code: string): boolean => {
  const alone = new RegExp(`(?<![0-9A-Za-z])${code}(?![0-9A-Za-z])`);
  return alone.test(bytes.toString('latin1')) || alone.test(bytes.toString('utf16le'));
};

/** Starts a mail server that refuses every message and repeats it in the refusal. `texts` holds the messages. */
const refusingMailServer = async () => {
  const texts: string[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true, closeTimeout: 1, logger: false },
    onData: (stream, { envelope }, done) => {
      const refuse = async () => {
        const text = Buffer.concat(await stream.toArray()).toString();
        texts.push(text);
        const reason = `no: ${JSON.stringify(envelope.rcptTo)} ${text.replaceAll(/\s+/g, ' ')}`;
        throw Object.assign(new Error(reason), { responseCode: 554 });
      };
      refuse().then(undefined, done);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  return { texts, url: `smtp://127.0.0.1:${port}` };
};

describe('a code that the built service sends', () => {
  it('reaches only the outbox or the mail server, and neither the code nor the contact is in a file or in the log', async () => {
    const directory = temporaryDirectory();
    const { url, texts } = await refusingMailServer();
    const environment = { LOG_LEVEL: 'trace', SMTP_URL: url, MAIL_FROM: 'no-reply@example.org' };
    const server = new Server(directory, environment);
    await server.start();
    onTestFinished(async () => void (await server.stop()));
    const stores = await openStores(readConfig({ DATA_DIR: directory }), {
      onError: (error) => expect.fail(error.message),
      sealing: { damaged: () => {}, tampered: () => {}, withoutKey: () => {} },
    });
    const codes = new Codes({ ...stores, onUnsent: () => {} });
    await codes.issue(toPhone);
    await codes.issue(toMail);

    const outbox = join(directory, 'outbox');
    await eventually(() => expect(readdirSync(outbox).filter((name) => name.endsWith('.json'))).toHaveLength(1));
    const [file = ''] = readdirSync(outbox);
    const message = JSON.parse(readFileSync(join(outbox, file), 'utf8')) as Message;
    const failures = () => server.log.filter((line) => line['attempt'] !== undefined);
    await eventually(() => expect(failures().length).toBeGreaterThan(0));
    expect(failures()[0]).toMatchObject({ attempt: 1, err: { message: expect.stringContaining('554') } });
    const sms = codeIn(message);
    const mail = codeIn({ text: texts[0]?.slice(texts[0].indexOf('\r\n\r\n')) ?? '' });
    expect([sms, mail]).toEqual([expect.stringMatching(/^\d{6,8}$/), expect.stringMatching(/^\d{6,8}$/)]);

    const inUse = { name: 'in use', bytes: bytesUnder(directory, 'vault', 'work', 'facts', 'views', 'master') };
    expect(await codes.redeem(phone, sms, ALL_PURPOSES)).toMatchObject({ userId: 'bia' });
    expect(await codes.redeem(canaries.email, mail, ALL_PURPOSES)).toMatchObject({ userId: 'ana', confirms: canaries });
    await stores.close();
    await server.stop();
    const after = { name: 'after', bytes: bytesUnder(directory, 'vault', 'work', 'facts', 'views', 'master') };
    const log = { name: 'log', bytes: Buffer.from(JSON.stringify(server.log)) };
    for (const { name, bytes } of [inUse, after, log]) {
      expect(bytes.length, name).toBeGreaterThan(1_000);
      expect(foundIn(bytes, canaries), name).toEqual([]);
      expect([holdsCode(bytes, sms), holdsCode(bytes, mail)], name).toEqual([false, false]);
    }
    const sent = readFileSync(join(outbox, file));
    expect([holdsCode(sent, sms), foundIn(sent, canaries).length > 0]).toEqual([true, true]);
  });
});

withRedis('a code whose job is in Redis', (redis) => {
  it('is not in Redis, nor is the contact, neither with waiting jobs nor with dead letters', async () => {
    const prefix = redis.newPrefix();
    const stores = { vault: new SqliteVault(temporaryDirectory()), work: new BullMqWork(redis.url, { prefix }) };
    onTestFinished(() => stores.vault.close());
    onTestFinished(() => stores.work.close());
    const { codes, queued } = codesOn(stores);
    await codes.issue(toMail);
    await queued();
    const waiting = await contentOf(redis, prefix);
    const sent: string[] = [];
    startDelivering(
      stores,
      new Inbox(async (message) => {
        sent.push(codeIn(message));
        throw new Error('refused');
      }),
    );
    await eventually(async () => expect(await stores.work.deadLetters(NOTIFICATION_QUEUE)).toHaveLength(1));
    const [code = 'none'] = sent;
    expect(code).toMatch(/^\d{6,8}$/);
    for (const bytes of [waiting, await contentOf(redis, prefix)]) {
      expect(bytes.includes('"record"')).toBe(true);
      expect(foundIn(bytes, canaries)).toEqual([]);
      expect(holdsCode(bytes, code)).toBe(false);
    }
    expect(await codes.redeem(canaries.email, code, ALL_PURPOSES)).toMatchObject({ userId: 'ana' });
  });
});

/** Returns all keys and values under a prefix. */
const contentOf = async (redis: SharedRedis, prefix: string): Promise<Buffer> => {
  const client = redis.client();
  const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hgetall(key),
    list: (key) => client.lrange(key, '0', '-1'),
    set: (key) => client.smembers(key),
    zset: (key) => client.zrange(key, '0', '-1'),
    stream: (key) => client.xrange(key, '-', '+'),
  };
  const texts: string[] = [];
  for (const key of await client.keys(`${prefix}:*`)) {
    const read = readers[await client.type(key)];
    texts.push(key, JSON.stringify(await read?.(key)));
  }
  return Buffer.from(texts.join('\n').replaceAll('\\"', '"'));
};
