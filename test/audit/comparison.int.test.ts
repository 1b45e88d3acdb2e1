// Compares the read models with a replay of the sealed log. Nothing differs after random commands and erasures, and
// every manipulation is found.
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compareWithReplay } from '../../src/audit/comparison.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { allProjections } from '../../src/projections/all.js';
import { openSealed } from '../infrastructure/persons/support/harness.js';
import { Historian } from '../projections/support/history.js';
import { quiet, startRunner } from '../projections/support/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { fileStores } from '../support/opened-stores.js';
import { repetitions } from '../support/repetitions.js';

const setUp = async (commands: number) => {
  const directory = temporaryDirectory();
  const { facts, vault } = openSealed(directory, fileStores(directory));
  const [live, fresh] = [new SqliteViews(directory), new SqliteViews(temporaryDirectory())];
  const erasing = async (person: string) => {
    await vault.removeSubject(person);
  };
  const historian = await new Historian(facts, 7, erasing).record(commands);
  for (const projection of allProjections) await live.prepare(projection);
  const { progress, close: stopFolding } = startRunner(facts, live, allProjections);
  onTestFinished(async () => {
    for (const store of [{ close: stopFolding }, fresh, live]) await store.close();
  });
  const head = (await facts.head()) ?? '';
  for (const { name } of allProjections) await progress.reached(name, head, 20_000);
  const compare = (stalledMs?: number) =>
    compareWithReplay({ facts, live, fresh, projections: allProjections, log: quiet, stalledMs });
  return { historian, compare, stopFolding, file: join(directory, 'views.sqlite'), head };
};

const COMMANDS = repetitions('COMPARED_COMMANDS');

describe('the comparison of the read models with a replay', () => {
  it(`finds nothing after ${COMMANDS} random commands`, { timeout: 300_000 + COMMANDS * 60 }, async () => {
    const { compare, head } = await setUp(COMMANDS);
    const { documents, differences, head: comparedAt } = await compare();
    expect(differences).toEqual([]);
    expect(documents).toBeGreaterThan(100);
    expect(comparedAt).toBe(head);
  });

  it('finds nothing while commands continue', async () => {
    const { historian, compare } = await setUp(50);
    const writing = historian.record(100);
    expect((await compare()).differences).toEqual([]);
    await writing;
  });

  it('rejects if the live read models are behind the log and no worker folds', async () => {
    const { historian, compare, stopFolding } = await setUp(20);
    await stopFolding();
    await historian.record(20);
    await expect(compare(1_000)).rejects.toThrow(/behind the log.*start a worker/);
  });

  it('finds changed, removed and added documents', async () => {
    const { historian, compare, file } = await setUp(60);
    const [changed, removed, behind] = [...historian.institutions.keys()];
    expect(behind).toBeDefined();
    const db = new Database(file);
    const table = 'institutions_1';
    db.prepare(`UPDATE ${table} SET body = '{"id":"forged"}' WHERE id = ?`).run(changed);
    db.prepare(`INSERT INTO ${table} (id, body, revision, position, created, x_name)
      SELECT 'made-up', body, revision, position, created || '0', x_name FROM ${table} WHERE id = ?`).run(removed);
    db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(removed);
    // The body is right, but its ETag would be that of another revision.
    db.prepare(`UPDATE ${table} SET revision = revision + 1 WHERE id = ?`).run(behind);
    db.close();
    const { differences } = await compare();
    expect(differences).toHaveLength(4);
    expect(new Set(differences)).toEqual(
      new Set([
        { collection: 'institutions', id: changed, kind: 'different' },
        { collection: 'institutions', id: behind, kind: 'different' },
        { collection: 'institutions', id: removed, kind: 'missing' },
        { collection: 'institutions', id: 'made-up', kind: 'not-in-the-log' },
      ]),
    );
  });
});
