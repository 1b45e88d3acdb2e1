// Tests the watermark, the position of the facts that the vault remembers, and its checks, on every pair of engines.
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { OutboxNotifier } from '../../src/infrastructure/notifier/outbox.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';
import { factsNotOlder, vaultNotOlder } from '../../src/operations/check-vault.js';
import { startUpkeep } from '../../src/operations/upkeep.js';
import { FactsLost, moveWatermark, resetWatermark, watermarkOf } from '../../src/operations/watermark.js';
import { sharedKey } from '../commands/shared-key.js';
import { collect, metadata, newEvent, newEvents, newStream } from '../infrastructure/facts-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { withMongo } from '../support/mongodb.js';

const forever = new AbortController().signal;
const HOUR_MS = 3_600_000;

interface Engines {
  /** Creates an empty log. */
  readonly newFacts: () => Promise<Facts>;
  readonly newVault: () => Vault;
}

const suite = (name: string, { newFacts, newVault }: Engines) =>
  describe(`the watermark of the facts on ${name}`, () => {
    const opened = async () => {
      const [facts, vault] = [await newFacts(), newVault()];
      onTestFinished(() => vault.close());
      return { facts, vault };
    };
    const checked = async (facts: Facts, vault: Vault) => {
      const stores = { facts, vault, views: {} as Views };
      return [(await factsNotOlder.run(stores)).ok, (await vaultNotOlder.run(stores)).ok];
    };
    const recordedAt = (ms: number) => ({
      ...newEvent(),
      metadata: { ...metadata, at: new Date(Date.now() + ms).toISOString() },
    });

    it('is at the last event, and moves with the log', async () => {
      const { facts, vault } = await opened();
      const stream = newStream('protocol');
      await moveWatermark({ facts, vault }, forever);
      expect(await watermarkOf(vault)).toMatchObject({ event: null });
      for (const from of [0, 700]) {
        await facts.append(stream, from === 0 ? 'no-stream' : from - 1, newEvents(700, from));
        await moveWatermark({ facts, vault }, forever);
        const last = (await collect(facts.readStream(stream))).at(-1);
        const { event } = (await watermarkOf(vault)) ?? {};
        expect(event).toEqual({ stream, revision: from + 699, id: last?.id, position: last?.position });
      }
      expect(await checked(facts, vault)).toEqual([true, true]);
    });

    it('does not move, and says why, on a log that lacks recorded events', async () => {
      const { facts, vault } = await opened();
      await facts.append(newStream('protocol'), 'no-stream', [recordedAt(0)]);
      await moveWatermark({ facts, vault }, forever);
      const before = await watermarkOf(vault);
      const older = await newFacts();
      await expect(moveWatermark({ facts: older, vault }, forever)).rejects.toThrow(FactsLost);
      expect(await watermarkOf(vault)).toEqual(before);
      expect(await checked(older, vault)).toEqual([false, true]);
      await older.append(newStream('protocol'), 'no-stream', newEvents(9));
      expect(await checked(older, vault)).toEqual([false, true]);
      await resetWatermark({ facts: older, vault });
      expect(await checked(older, vault)).toEqual([true, true]);
    });

    it('is a fault if it is missing or much older than the last event', async () => {
      const { facts, vault } = await opened();
      const stream = newStream('protocol');
      await facts.append(stream, 'no-stream', [recordedAt(-HOUR_MS)]);
      expect(await checked(facts, vault)).toEqual([true, false]);
      await moveWatermark({ facts, vault }, forever);
      await facts.append(stream, 0, [recordedAt(0)]);
      expect(await checked(facts, vault)).toEqual([true, true]);
      await facts.append(stream, 1, [recordedAt(HOUR_MS)]);
      expect(await checked(facts, vault)).toEqual([true, false]);
    });

    it('moves when the upkeep starts and when it closes', async () => {
      const { facts, vault } = await opened();
      const [work, views] = [new SqliteWork(temporaryDirectory()), new SqliteViews(temporaryDirectory())];
      onTestFinished(() => Promise.all([work.close(), views.close()]).then(() => undefined));
      const errors: unknown[] = [];
      const outbox = new OutboxNotifier(temporaryDirectory());
      const upkeep = startUpkeep({ facts, vault, views, work, outbox, serviceKey: sharedKey }, (error) =>
        errors.push(error),
      );
      await eventually(async () => expect(await watermarkOf(vault)).toMatchObject({ event: null }));
      const stream = newStream('protocol');
      await facts.append(stream, 'no-stream', newEvents(3));
      await upkeep.close();
      expect(await watermarkOf(vault)).toMatchObject({ event: { stream, revision: 2 } });
      expect(errors).toEqual([]);
    });
  });

suite('SQLite', {
  newFacts: async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    onTestFinished(() => facts.close());
    return facts;
  },
  newVault: () => new SqliteVault(temporaryDirectory()),
});

withMongo('the watermark of the facts on EventStoreDB and MongoDB', (mongo) =>
  suite('EventStoreDB and MongoDB', {
    // Each log has its own server, because no other events may be in the log.
    newFacts: async () => {
      const server = new EventStoreDbServer({ directory: temporaryDirectory() });
      await server.start();
      const facts = new EventStoreDbFacts(server.url);
      onTestFinished(async () => {
        await facts.close();
        await server.stop();
      });
      return facts;
    },
    newVault: () => new MongoVault(new MongoConnection(mongo.newUrl())),
  }),
);
