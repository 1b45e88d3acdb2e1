import { expect, it } from 'vitest';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import { foundIn, newCanaries } from '../../support/canaries.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { type SharedRedis, withRedis } from '../../support/redis.js';
import {
  ALL_PURPOSES,
  closedAfterTest,
  codeFixture,
  codeIn,
  codeRequest,
  holdsCode,
  Inbox,
  startDelivering,
} from './support/codes-harness.js';

const canaries = newCanaries();
const to = { userId: 'ana', contact: canaries.email };
const toMail = { ...codeRequest, owner: canaries.email, to, confirms: canaries };

withRedis('a code whose job is in Redis', (redis) => {
  it('is not in Redis, nor is the contact, neither with waiting jobs nor with dead letters', async () => {
    const prefix = redis.newPrefix();
    const vault = new SqliteVault(temporaryDirectory());
    const stores = closedAfterTest({ vault, work: new BullMqWork(redis.url, { prefix }) });
    const { codes, queued, deadLetters } = codeFixture(stores);
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
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
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
