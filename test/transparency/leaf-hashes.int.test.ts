import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { aggregates } from '../../src/domain/all.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { leafOf } from '../../src/transparency/leaf.js';
import { LeafHashes } from '../../src/transparency/leaf-hashes.js';
import { leafHash } from '../../src/transparency/merkle.js';
import { temporaryDirectory } from '../support/directory.js';
import { appendEvents } from './grower.suite.js';

const FROM_FIRST = { aggregates, after: undefined };
const hashes = new LeafHashes();
afterAll(() => hashes.close());

/** Returns facts with `events` events, and the path of their file. */
const factsWith = async (events: number) => {
  const directory = temporaryDirectory();
  const facts = new SqliteFacts(directory);
  onTestFinished(() => facts.close());
  await appendEvents(facts, events, 5);
  return { facts, file: join(directory, 'facts.sqlite') };
};

/** Returns the same facts like an engine whose log other threads cannot read. */
const onThisThreadAlone = (facts: Facts): Pick<Facts, 'readLog'> => ({
  readLog: (range, limit) => facts.readLog(range, limit),
});

describe('the leaves of a page of the log', () => {
  it('have the hashes of its events, with the order and the positions of the log', async () => {
    const { facts } = await factsWith(10);
    const { events, position, atEnd } = await facts.readLog(FROM_FIRST, 7);
    const leaves = events.map((event) => ({ hash: leafHash(leafOf(event)), position: event.position }));
    expect(await hashes.page(facts, FROM_FIRST, 7)).toEqual({ leaves, position, atEnd });
  });

  it('are the same whether the thread reads the log or gets the events', async () => {
    const { facts } = await factsWith(10);
    for (const limit of [3, 100]) {
      const read = await hashes.page(facts, FROM_FIRST, limit);
      expect(await hashes.page(onThisThreadAlone(facts), FROM_FIRST, limit)).toEqual(read);
    }
  });

  it('include the events that were appended since the previous page', async () => {
    const { facts } = await factsWith(5);
    const { position: after } = await hashes.page(facts, FROM_FIRST, 100);
    await appendEvents(facts, 2);
    const { leaves, atEnd } = await hashes.page(facts, { aggregates, after }, 100);
    expect([leaves.length, atEnd]).toEqual([2, true]);
  });

  it('reject with an error that names the event if an event is damaged', async () => {
    const { facts, file } = await factsWith(5);
    const db = new Database(file);
    db.prepare("UPDATE events SET data = '{' WHERE position = 3").run();
    db.close();
    await expect(hashes.page(facts, FROM_FIRST, 100)).rejects.toThrow(/revision 2.* is not JSON/);
    expect((await hashes.page(facts, FROM_FIRST, 2)).leaves).toHaveLength(2);
  });
});
