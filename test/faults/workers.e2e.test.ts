// Tests worker processes that share the read models: which process runs them, and which one takes over when it ends.
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { allProjections } from '../../src/projections/all.js';
import { createInstitution, createProtocol } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../support/process.js';
import { isListed, startServer, startWorker } from './processes.js';

const ALL = allProjections.length;

describe('the read models of a service', () => {
  const directory = temporaryDirectory();
  const views = new SqliteViews(directory);
  afterAll(() => views.close());

  /** Waits until one worker other than `before` runs all read models, and returns its name. */
  const runner = (before?: string) =>
    eventually(async () => {
      const holders = [...new Set((await views.checkpoints()).map(({ heldBy }) => heldBy))];
      expect(holders).toEqual([expect.any(String)]);
      expect(holders).not.toEqual([before]);
      return holders[0];
    });

  it('are taken over by another worker when the worker that runs them is killed or stopped', async () => {
    const server = await startServer(directory, 'http');
    const first = await startWorker(directory);
    const one = await runner();
    const second = await startWorker(directory);
    expect((await runCli(directory, 'projections', 'list')).out.match(/^ {2}run by .+$/gm)).toEqual(
      Array(ALL).fill(`  run by ${one}`),
    );

    await first.kill();
    const two = await runner(one);
    const { id } = await createInstitution(server);
    await createProtocol(server, id, { name: 'After the kill' });
    await isListed(server, 'After the kill');

    await startWorker(directory);
    expect(await second.stop()).toBe(0);
    await runner(two);
    await createProtocol(server, id, { name: 'After the stop' });
    await isListed(server, 'After the stop');
  });
});
