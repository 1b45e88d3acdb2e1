// Kills the worker in the middle of a blue/green rebuild on MongoDB while writes continue.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Checkpoint, Views } from '../../src/infrastructure/views/views.js';
import { createInstitution, type Page, type Protocol, successful } from '../http/samples.js';
import { EngineSet } from '../support/engine-set.js';
import { eventually } from '../support/eventually.js';
import { run, WorkerProcess } from '../support/process.js';
import { fill } from './filling.js';
import { tokenOf } from './processes.js';
import { type Engines, enginesOf, expectReadModelsAsFresh, onRealSet, startedOn, type WatchedServer } from './sets.js';

// A rebuild takes long on a busy machine.
const REBUILD_MS = 60_000;
const LIST = '/protocols?limit=200';
const REBUILD = ['projections', 'rebuild', 'protocols'];

/**
 * Writes and reads in turns until the test ends the load. A gap is a list that lacks entries that an earlier list had
 * at a known position. A list without a token may be ahead of its checkpoint, and the next generation need not be.
 */
const underLoad = (server: WatchedServer, institutionId: string) => {
  let working = true;
  const gaps: unknown[] = [];
  const checkList = async (least: number, token?: ReturnType<typeof tokenOf>): Promise<number | undefined> => {
    const { status, body } = await server.get<Page<Protocol>>(LIST, token);
    // While no worker runs the projection, the service refuses a token.
    if (status === 503 && token !== undefined) return undefined;
    const now = status === 200 ? body.items.length : -1;
    if (now < least) gaps.push({ least, now, status });
    return now;
  };
  const load = async () => {
    for (let least = 0; working; ) {
      const made = await server.post('/protocols', { institutionId, name: 'Meanwhile' });
      await checkList(least);
      least = (await checkList(least, tokenOf(successful(made)))) ?? least;
    }
  };
  const ended = load();
  const end = async () => {
    working = false;
    await ended;
    return gaps;
  };
  onTestFinished(() => end().then(() => undefined));
  return { end };
};

const startWorker = async ({ directory, environment }: Engines): Promise<WorkerProcess> => {
  const worker = await WorkerProcess.start(directory, environment);
  onTestFinished(() => worker.kill().then(() => undefined));
  return worker;
};

const generationsIn = async (views: Views): Promise<readonly Checkpoint[]> =>
  (await views.checkpoints()).filter(({ projection }) => projection === 'protocols');

onRealSet('a rebuild on MongoDB that dies in the middle while writes continue', () => {
  it('is invisible to readers, is continued by a worker from its checkpoint, and ends like a fresh replay', async () => {
    const set = await EngineSet.start();
    onTestFinished(() => set.end());
    const engines = enginesOf(set);
    const { environment } = engines;
    const { facts, views } = engines.stores();
    await fill(facts, 30);
    const first = await startWorker(engines);
    const server = await startedOn(engines, { ROLES: 'http' });
    await first.kill();
    const { id } = await createInstitution(server);
    const load = underLoad(server, id);

    const started = await run('cli', { environment, arguments: [...REBUILD, '--no-wait'] });
    expect(started).toMatchObject({ code: 0, err: '' });
    const building = async () => (await generationsIn(views)).find(({ number }) => number === 2);
    const dying = await startWorker(engines);
    await eventually(async () => expect((await building())?.position).toBeDefined());
    await dying.kill();
    const live = (await generationsIn(views)).find(({ state }) => state === 'live');
    const cutOff = await building();
    expect(cutOff).toMatchObject({ state: 'building' });
    expect((cutOff?.position ?? '~') < (live?.position ?? '')).toBe(true);

    await startWorker(engines);
    await vi.waitFor(
      async () => expect(await generationsIn(views)).toMatchObject([{ number: 2, state: 'live' }]),
      REBUILD_MS,
    );
    const again = await run('cli', { environment, arguments: REBUILD });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('generation 3 of protocols is live') });
    expect(await load.end()).toEqual([]);
    expect(server.uncaught).toEqual([]);
    await expectReadModelsAsFresh(engines);
  }, 240_000);
});
