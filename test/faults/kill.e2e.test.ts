// Kills the service under load at random moments and starts it again on the same data. KILLS sets how often, and SEED
// determines the moments.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startProgram } from '../support/process.js';
import { Random } from '../support/random.js';
import { repetitions } from '../support/repetitions.js';
import { expectSound } from './kill-check.js';
import { expectUsersSound } from './kill-check-users.js';
import { Load, WITH_USERS } from './load.js';
import { type Engines, expectReadModelsAsFresh, sets, startedOn } from './sets.js';

const KILLS = repetitions('KILLS');
const SEED = Number(process.env['SEED'] ?? 20_260_105);

describe.each(sets)(
  `a service on $name that is killed ${KILLS} times under load (seed ${SEED})`,
  ({ missing, start }) => {
    const random = new Random(SEED);

    /** Resolves at a random moment after up to 80 more responses. */
    const randomMoment = async (load: Load): Promise<void> => {
      const acknowledged = load.acknowledged + random.integer(1, 80);
      await eventually(() => expect(load.acknowledged).toBeGreaterThanOrEqual(acknowledged));
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
      'has every acknowledged write exactly once, and no partial write',
      async (test) => {
        const reason = missing();
        test.skip(reason !== undefined, reason);
        const engines = await start();
        const server = await startedOn(engines);
        const load = new Load(server, SEED, { kinds: WITH_USERS });
        for (let kill = 1; kill <= KILLS; kill += 1) {
          await load.resume();
          await randomMoment(load);
          await server.kill();
          await load.stopped();
          if (random.chance(0.5)) await dieAtStart(engines);
          await expectSound(engines, load.journal);
          await expectUsersSound(engines, load.journal);
          await server.start();
          await expectReadModelsAsFresh(engines);
        }
        await load.settle();
        expect(load.open).toEqual([]);
        await expectSound(engines, load.journal);
        await expectUsersSound(engines, load.journal);
        expect(load.journal.filter(({ kind, response }) => kind === 'approval' && response !== undefined)).not.toEqual(
          [],
        );
        await expectReadModelsAsFresh(engines);
        expect(server.uncaught).toEqual([]);
      },
      60_000 + KILLS * 30_000,
    );
  },
);
