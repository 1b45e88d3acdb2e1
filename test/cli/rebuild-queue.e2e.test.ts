// The operator queues a rebuild. The tool ends immediately, and a worker of the service runs the rebuild.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInstitution, createQuestionnaire } from '../http/samples.js';
import { expectAsFresh } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';

describe('projections rebuild NAME --queue', () => {
  const rebuild = (directory: string, ...options: readonly string[]) =>
    runCli(directory, 'projections', 'rebuild', 'protocols', ...options);

  it('is run by the service once the service runs', async () => {
    const server = new Server(temporaryDirectory());
    await server.start();
    onTestFinished(() => server.stop().then(() => undefined));
    const { id } = await createInstitution(server);
    await createQuestionnaire(server, id);
    await server.stop();
    expect(await rebuild(server.directory, '--queue')).toMatchObject({ code: 0, err: '' });
    expect(await rebuild(server.directory, '--queue')).toMatchObject({
      code: 0,
      out: expect.stringContaining('already queued in projection-rebuilds'),
    });
    await server.start();
    await eventually(async () => {
      const { out } = await runCli(server.directory, 'projections', 'list');
      expect(out).toMatch(/^protocols {2}generation 2 .*live/m);
    });
    await expectAsFresh(server.directory);
  });

  it('refuses another option', async () => {
    expect(await rebuild(temporaryDirectory(), '--later')).toMatchObject({ code: 1, out: '' });
  });
});
