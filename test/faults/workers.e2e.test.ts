// Worker processes that share the read models: who runs what, and what becomes of it when one of them goes.
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import { createInstitution, createProtocol } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { operate } from '../support/process.js';
import { isListed, startServer, startWorker } from './processes.js';

describe('two read models', () => {
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

  it('are run by one worker each, and by the other both when one is killed or stopped', async () => {
    const server = await startServer(directory, 'http');
    const first = await startWorker(directory);
    await runs([2]);
    const second = await startWorker(directory);
    await runs([1, 1]);
    expect((await operate(directory, 'projections', 'list')).out.match(/^ {2}run by .+$/gm)).toHaveLength(2);

    await first.kill();
    await runs([2]);
    const { id } = await createInstitution(server);
    await createProtocol(server, id, { name: 'After the kill' });
    await isListed(server, 'After the kill');

    await startWorker(directory);
    await runs([1, 1]);
    expect(await second.stop()).toBe(0);
    await runs([2]);
    await createProtocol(server, id, { name: 'After the stop' });
    await isListed(server, 'After the stop');
  });
});
