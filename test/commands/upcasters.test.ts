// Commands on an aggregate whose event has changed its shape twice since a release.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { operatorContext } from '../../src/cli/operator.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import { type Decider, upcastersOf } from '../../src/domain/decider.js';
import type { Facts, NewEvent, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { upcast } from '../../src/infrastructure/facts/upcast.js';
import { uuidOf } from '../support/specification.js';

const events = { TeamNamed: z.object({ names: z.array(z.string()), count: z.int() }) };
const commands = { NameTeam: z.object({ name: z.string() }) };
interface Team {
  readonly names: readonly string[];
}

const team: Decider<Team, typeof events, typeof commands> = {
  aggregate: 'team',
  events,
  commands,
  upcasters: {
    TeamNamed: [
      ({ name }: { readonly name: string }) => ({ names: [name] }),
      ({ names }: { readonly names: string[] }) => ({ names, count: names.length }),
    ],
  },
  initialState: { names: [] },
  evolve: { TeamNamed: (_, { names }) => ({ names }) },
  decide: {
    NameTeam: ({ names }, { name }) => [
      { type: 'TeamNamed', data: { names: [...names, name], count: names.length + 1 } },
    ],
  },
};

const ID = uuidOf(1);
const upcasters = new Map([['TeamNamed', upcastersOf(team, 'TeamNamed')]]);

/** Returns facts in memory, read through the upcasters, and the events as they are stored. */
const factsWith = (...versions: readonly (readonly [schemaVersion: number, data: unknown])[]) => {
  const { actor, correlationId, causationId } = operatorContext();
  const common = { at: '2026-01-05T08:00:00.000Z', actor, correlationId, causationId };
  const stored: NewEvent[] = versions.map(([schemaVersion, data], index) => ({
    ...{ id: uuidOf(index), type: 'TeamNamed', data, metadata: { ...common, schemaVersion } },
  }));
  const facts: Pick<Facts, 'append' | 'readStream'> = {
    append: async (_, __, added) => {
      stored.push(...added);
      return { outcome: 'written', revision: stored.length - 1, position: '0' };
    },
    async *readStream(stream) {
      for (const [revision, event] of stored.entries()) {
        yield upcast({ ...event, stream, revision, position: '0' } satisfies RecordedEvent, upcasters);
      }
    },
  };
  return { facts: facts as Facts, stored };
};

const nameTeam = (facts: Facts) =>
  commandHandler(new Streams(facts), unguarded)(
    team,
    ID,
    { type: 'NameTeam', data: { name: 'Caio' } },
    operatorContext(),
  );

it.each([
  [1, { name: 'Ana' }, ['Ana', 'Caio']],
  [2, { names: ['Ana', 'Bia'] }, ['Ana', 'Bia', 'Caio']],
  [3, { names: ['Ana', 'Bia'], count: 2 }, ['Ana', 'Bia', 'Caio']],
])('a command decides on an event of version %i in its current shape', async (version, data, names) => {
  const { facts, stored } = factsWith([version, data]);
  expect((await nameTeam(facts)).state).toEqual({ names });
  expect(stored.at(-1)).toMatchObject({ data: { names, count: names.length }, metadata: { schemaVersion: 3 } });
  expect(stored[0]).toMatchObject({ data, metadata: { schemaVersion: version } });
});

it('a command is refused on a stream with an event of a newer version', async () => {
  const { facts, stored } = factsWith([4, { team: 'Ana' }]);
  await expect(nameTeam(facts)).rejects.toMatchObject({ name: 'EventTooNew' });
  expect(stored).toHaveLength(1);
});
