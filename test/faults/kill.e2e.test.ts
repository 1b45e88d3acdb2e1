// The service is killed under load, at random moments, and started again on the same data. KILLS says how often, SEED
// which moments: `KILLS=30 npx vitest run test/faults/kill` is the long form.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAsFresh } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { started } from '../support/process.js';
import { Random } from '../support/random.js';
import { Server } from '../support/server.js';
import { expectSound } from './kill-check.js';
import { Load } from './load.js';

const KILLS = Number(process.env['KILLS'] ?? 3);
const SEED = Number(process.env['SEED'] ?? 20_260_105);

describe(`a service that is killed ${KILLS} times under load (seed ${SEED})`, () => {
  const random = new Random(SEED);

  /** Resolves at a random moment, when some more requests have been answered. */
  const someMoment = async (load: Load): Promise<void> => {
    const answered = load.answered + random.integer(1, 80);
    await eventually(() => expect(load.answered).toBeGreaterThanOrEqual(answered));
    for (let turns = random.integer(0, 40); turns > 0; turns -= 1) await nextTurn();
  };

  /** Starts the service and kills it on its way up, so that it also dies while it recovers. */
  const dieStarting = async (directory: string): Promise<void> => {
    const { kill, ended } = started('main', { environment: { DATA_DIR: directory, PORT: '0' } });
    const moment = Date.now() + random.integer(0, 600);
    await eventually(() => expect(Date.now()).toBeGreaterThan(moment));
    kill();
    await ended;
  };

  it(
    'has every write that it acknowledged, each once, and nothing by halves',
    async () => {
      const server = new Server(temporaryDirectory());
      onTestFinished(() => server.stop().then(() => undefined));
      await server.start();
      const load = new Load(server, SEED);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await load.resume();
        await someMoment(load);
        await server.kill();
        await load.stopped();
        if (random.chance(0.5)) await dieStarting(server.directory);
        expectSound(server.directory, load.journal);
        await server.start();
        await expectAsFresh(server.directory);
      }
      await load.settle();
      expect(load.open).toEqual([]);
      expectSound(server.directory, load.journal);
      await expectAsFresh(server.directory);
    },
    60_000 + KILLS * 30_000,
  );
});
