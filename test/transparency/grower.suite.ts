// The guarantees of tree growth on any engine of the facts and the vault.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { addKey, keysOf, newLogKey } from '../../src/transparency/keys.js';
import { leafOf } from '../../src/transparency/leaf.js';
import { TransparencyLog } from '../../src/transparency/log.js';
import { consistencyProof, type Hash, leafHash } from '../../src/transparency/merkle.js';
import {
  isSignedBy,
  type LogCheckpoint,
  parsedCheckpoint,
  parsedNote,
  verifierOf,
} from '../../src/transparency/note.js';
import { prove } from '../../src/transparency/prove.js';
import { LogRecords } from '../../src/transparency/records.js';
import { fromBytes, hashesFrom } from '../../src/transparency/tiles.js';
import type { OpenedStores } from '../support/opened-stores.js';
import { consistencyOf, pathTo, rootOf } from '../support/rfc6962.js';
import { appendEvents, eventsOf, failingAt, growerOf, growToEnd, logStoresOf, ORIGIN } from './support/growing.js';

const checkpointOf = async ({ facts, vault }: OpenedStores): Promise<LogCheckpoint> => {
  const current = await new TransparencyLog({ sealedFacts: facts, vault }).current();
  const note = parsedNote(current?.note ?? '');
  const checkpoint = note && parsedCheckpoint(note.text);
  if (note === undefined || checkpoint === undefined) throw new Error('nothing is signed');
  const verifiers = (await keysOf(vault, ORIGIN)).map(({ verifierKey }) => verifierOf(verifierKey));
  expect(verifiers.some((verifier) => verifier !== undefined && isSignedBy(note, verifier))).toBe(true);
  return checkpoint;
};

const leavesOf = async (facts: Facts): Promise<readonly string[]> => (await eventsOf(facts)).map(leafOf);

/** Returns the proof that the tree of `older` leaves is a prefix of the tree of `newer` leaves. */
const consistencyIn = async ({ vault }: OpenedStores, older: number, newer: number): Promise<readonly Hash[]> => {
  const records = new LogRecords(vault);
  const state = await records.state();
  const hashes = hashesFrom(async (place) => (state && (await records.hashes(state, place))) ?? []);
  return consistencyProof(older, newer, hashes);
};

/** Declares the tests of growth on the stores that `open` opens. */
export const growerSuite = (name: string, open: () => Promise<OpenedStores & { close(): Promise<void> }>): void => {
  describe(`growth of the tree on ${name}`, () => {
    let stores: OpenedStores & { close(): Promise<void> };
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(async () => {
      await stores.close();
    });

    const mustCoverAll = async () => {
      const leaves = await leavesOf(stores.facts);
      const hashes = leaves.map((leaf) => leafHash(leaf));
      const checkpoint = await checkpointOf(stores);
      expect(checkpoint).toStrictEqual({ origin: ORIGIN, size: leaves.length, root: rootOf(hashes) });
      return { leaves, hashes, checkpoint };
    };

    it('signs nothing while the log is empty', async () => {
      expect(await growerOf(stores).step()).toBe(true);
      expect(await new TransparencyLog({ sealedFacts: stores.facts, vault: stores.vault }).current()).toBeUndefined();
    });

    it('covers every event in the order of the log, also the events of one append', async () => {
      await appendEvents(stores.facts, 700, 7);
      await growToEnd(growerOf(stores));
      await mustCoverAll();
    });

    it('signs once, and then stores nothing, for a log that does not grow', async () => {
      const grower = growerOf(stores);
      const before = await new LogRecords(stores.vault).record();
      expect([await grower.step(), await grower.step()]).toEqual([true, true]);
      expect(await new LogRecords(stores.vault).record()).toStrictEqual(before);
    });

    it('proves that each event is in the log and that each older checkpoint is a prefix', async () => {
      const log = new TransparencyLog({ sealedFacts: stores.facts, vault: stores.vault });
      const older = await checkpointOf(stores);
      await appendEvents(stores.facts, 300);
      await growToEnd(growerOf(stores));
      const { hashes } = await mustCoverAll();
      const proof = await consistencyIn(stores, older.size, hashes.length);
      expect(proof).toStrictEqual(consistencyOf(older.size, hashes));
      const proofOf = await log.inclusionProver(hashes.length);
      for (const index of [0, 1, 255, 256, 511, 512, 699, 700, hashes.length - 1]) {
        expect(await proofOf(index)).toStrictEqual(pathTo(index, hashes));
      }
    });

    it('finds the leaf of each event, and reads each tile once', async () => {
      let pages = 0;
      const sealedFacts: Pick<Facts, 'readLog'> = {
        readLog: (...page) => {
          pages += 1;
          return stores.facts.readLog(...page);
        },
      };
      const events = await eventsOf(stores.facts);
      const log = new TransparencyLog({ sealedFacts, vault: stores.vault });
      expect(await log.indexesOf(events)).toEqual([...events.keys()]);
      expect(pages).toBeLessThan(20);
      const some = [...events.keys()].filter((index) => index % 50 < 3 || index % 256 < 2 || index % 256 > 253);
      for (const index of some) expect(await log.indexesOf([events[index] as RecordedEvent])).toEqual([index]);
    });

    it('serves only entries and tiles that are signed', async () => {
      const log = new TransparencyLog({ sealedFacts: stores.facts, vault: stores.vault });
      const { leaves, hashes, checkpoint } = await mustCoverAll();
      await appendEvents(stores.facts, 1);
      const [last, width] = [Math.floor(checkpoint.size / 256), checkpoint.size % 256];
      expect(await log.entries(last, width)).toStrictEqual(leaves.slice(last * 256));
      expect(await log.entries(1, 256)).toStrictEqual(leaves.slice(256, 512));
      expect(await log.entries(1, 3)).toStrictEqual(leaves.slice(256, 259));
      const tile = await log.hashTile({ level: 0, index: last }, width);
      expect(tile && fromBytes(tile)).toStrictEqual(hashes.slice(last * 256));
      expect(await log.hashTile({ level: 1, index: 0 }, 3)).toHaveLength(96);
      expect(await log.entries(last, width + 1)).toBeUndefined();
      expect(await log.hashTile({ level: 0, index: last }, width + 1)).toBeUndefined();
      expect(await log.hashTile({ level: 0, index: last + 1 }, 1)).toBeUndefined();
      expect(await log.hashTile({ level: 1, index: 0 }, 4)).toBeUndefined();
    });

    it('is proved, and the proof names the first event that differs', async () => {
      const { facts } = stores;
      const { id, stream, revision } = (await eventsOf(facts))[300] as RecordedEvent;
      const altered: Pick<Facts, 'head' | 'readLog'> = {
        head: () => facts.head(),
        readLog: async (...range) => {
          const page = await facts.readLog(...range);
          const events = page.events.map((event) => (event.id === id ? { ...event, type: 'UserErased' } : event));
          return { ...page, events };
        },
      };
      expect(await prove(logStoresOf(stores))).toMatchObject({ unsigned: 1, faults: [] });
      const [fault] = (await prove({ ...logStoresOf(stores), sealedFacts: altered })).faults;
      expect(fault).toContain(
        `at index 300 differs from the signed log: event ${id} of ${stream}, revision ${revision}.`,
      );
    });

    it('continues after a crash at any change of the vault', async () => {
      for (let change = 1, isOver = false; !isOver; change += 1) {
        const before = await checkpointOf(stores);
        await appendEvents(stores.facts, 150);
        isOver = await growToEnd(growerOf(stores, failingAt(stores.vault, change))).then(
          () => true,
          () => false,
        );
        await growToEnd(growerOf(stores));
        const { hashes } = await mustCoverAll();
        expect(rootOf(hashes.slice(0, before.size))).toStrictEqual(before.root);
      }
    });

    it('never has two trees of the same size, even if several workers grow it while the log grows', async () => {
      const seen = new Map<number, string>();
      const records = new LogRecords(stores.vault);
      let isOver = false;
      const working = Array.from({ length: 3 }, async () => {
        const grower = growerOf(stores);
        while (!isOver) {
          await grower.step();
          await nextTurn();
          const { size, note } = (await records.state())?.signed ?? { size: 0, note: '' };
          expect(seen.get(size) ?? note).toBe(note);
          seen.set(size, note);
        }
      });
      for (let batch = 0; batch < 20; batch += 1) await appendEvents(stores.facts, 37);
      isOver = true;
      await Promise.all(working);
      await growToEnd(growerOf(stores));
      await mustCoverAll();
    });

    it('changes to a new key with one checkpoint that both keys sign', async () => {
      const [old] = await keysOf(stores.vault, ORIGIN);
      await addKey(stores.vault, await newLogKey(logStoresOf(stores), ORIGIN));
      await growToEnd(growerOf(stores));
      const handover = (await new LogRecords(stores.vault).state())?.signed?.note ?? '';
      await appendEvents(stores.facts, 1);
      await growToEnd(growerOf(stores));
      const later = (await new LogRecords(stores.vault).state())?.signed?.note ?? '';
      const keys = await keysOf(stores.vault, ORIGIN);
      const signers = (text: string) => {
        const note = parsedNote(text);
        return keys.map(({ verifierKey }) => {
          const verifier = verifierOf(verifierKey);
          return note !== undefined && verifier !== undefined && isSignedBy(note, verifier);
        });
      };
      expect(signers(handover)).toStrictEqual([true, true]);
      expect(signers(later)).toStrictEqual([true, false]);
      expect((await new LogRecords(stores.vault).kept()).map(({ note }) => note)).toContain(handover);
      expect(keys.map(({ sealed }) => sealed !== null)).toStrictEqual([true, false]);
      expect(keys[1]?.verifierKey).toBe(old?.verifierKey);
    });
  });
};
