// Worker processes that share the read models: who runs what, and what becomes of it when one of them goes.
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import { allProjections } from '../../src/projections/all.js';
import { createInstitution, createProtocol } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { operate } from '../support/process.js';
import { isListed, startServer, startWorker } from './processes.js';

const ALL = allProjections.length;
const SHARED = [Math.ceil(ALL / 2), Math.floor(ALL / 2)];

describe('the read models of a service', () => {
  const directory = temporaryDirectory();
  const views = new SqliteViews(directory);
  afterAll(() => views.close());

  /** How many read models each owner runs, the most first; read models that nobody runs count under "nobody". */
  const runs = (each: readonly number[]) =>
    eventually(async () => {
      const holders = (await views.checkpoints()).map(({ heldBy }) => heldBy ?? 'nobody');
      expect(holders).not.toContain('nobody');
      const counts = [...new Set(holders)].map((name) => holders.filter((holder) => holder === name).length);
      expect(counts.toSorted((a, b) => b - a)).toEqual(each);
    });

  it('are shared by two workers, and all run by the other one when one is killed or stopped', async () => {
    const server = await startServer(directory, 'http');
    const first = await startWorker(directory);
    await runs([ALL]);
    const second = await startWorker(directory);
    await runs(SHARED);
    expect((await operate(directory, 'projections', 'list')).out.match(/^ {2}run by .+$/gm)).toHaveLength(ALL);

    await first.kill();
    await runs([ALL]);
    const { id } = await createInstitution(server);
    await createProtocol(server, id, { name: 'After the kill' });
    await isListed(server, 'After the kill');

    await startWorker(directory);
    await runs(SHARED);
    expect(await second.stop()).toBe(0);
    await runs([ALL]);
    await createProtocol(server, id, { name: 'After the stop' });
    await isListed(server, 'After the stop');
  });
});
