// Kills the service under load at random moments and starts it again on the same data. KILLS sets how often, and SEED
// determines the moments.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startProgram } from '../support/process.js';
import { Random } from '../support/random.js';
import { repetitions } from '../support/repetitions.js';
import { Load, WITH_USERS } from './support/load.js';
import { expectNothingLost, expectSound } from './support/log-checks.js';
import { type Engines, expectReadModelsAsFresh, startedOn } from './support/sets.js';

const KILLS = repetitions('KILLS');
const SEED = Number(process.env['SEED'] ?? 20_260_105);

/** Declares the test of a service on these engines. */
export const killSuite = (startEngines: () => Engines | Promise<Engines>): void => {
  const random = new Random(SEED);

  /** Resolves at a random moment after up to 80 more responses. */
  const randomMoment = async (load: Load): Promise<void> => {
    await load.waitForMore(random.integer(1, 80));
    for (let turns = random.integer(0, 40); turns > 0; turns -= 1) await nextTurn();
  };

  /** Starts the service and kills it during the start, so that it also dies while it recovers. */
  const dieAtStart = async ({ environment }: Engines): Promise<void> => {
    const { kill, ended } = startProgram('main', { environment: { ...environment, PORT: '0' } });
    await pause(random.integer(0, 600));
    kill();
    await ended;
  };

  it(
    `has every acknowledged write exactly once, and no partial write, after ${KILLS} kills (seed ${SEED})`,
    async () => {
      const engines = await startEngines();
      const server = await startedOn(engines);
      const load = new Load(server, SEED, { kinds: WITH_USERS });
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await load.resume();
        await eventually(() => expect(load.acknowledged('approval')).toBeGreaterThan(0));
        await randomMoment(load);
        await server.kill();
        await load.halt();
        if (kill % 2 === 1) await dieAtStart(engines);
        await expectSound(engines, load.journal);
        await server.start();
        await expectReadModelsAsFresh(engines);
      }
      await expectNothingLost(engines, load);
      expect(load.open).toEqual([]);
      expect(server.uncaught).toEqual([]);
    },
    150_000 + KILLS * 30_000,
  );
};
