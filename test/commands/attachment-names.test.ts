import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type LoadInstitution, namedUser, presentInstitutions } from '../../src/commands/attachment-names.js';
import { emptyOf } from '../../src/commands/loaded.js';
import { Streams } from '../../src/commands/streams.js';
import { Walks } from '../../src/commands/walks.js';
import { institution } from '../../src/domain/institution.js';
import type { UserFields } from '../../src/domain/user/state.js';
import { intercepted } from '../projections/support/intercepted.js';
import { temporaryDirectory } from '../support/directory.js';
import { numbers } from '../support/items.js';
import { uuidOf } from '../support/specification.js';
import { contextOf, processOn } from './support/process.js';
import { someone } from './support/walker.js';

const attachedTo = (ids: readonly string[]) => {
  const institutions = ids.map((id) => ({ id, name: 'Old' }));
  return { id: uuidOf(1), institutions, unities: [] } as unknown as UserFields;
};

describe('the names of a user with very many attachments', () => {
  it.each([3, 300])('are read two at once, of %i institutions', async (count) => {
    let [running, most] = [0, 0];
    const load: LoadInstitution = async () => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
      return emptyOf(institution);
    };
    const user = attachedTo(numbers(1, count).map(uuidOf));
    expect(await namedUser(user, load)).toEqual(user);
    expect([running, most]).toEqual([0, 2]);
  });

  it('are read of the past although no read may wait for long, and of the present', async () => {
    const { handle, facts } = processOn(temporaryDirectory());
    const data = institution.commands.CreateInstitution.parse({ name: 'New' });
    const create = () => handle(institution, 'new', { type: 'CreateInstitution', data }, contextOf());
    const ids = (await Promise.all(numbers(1, 300).map(create))).map(({ id }) => id);
    const slow = intercepted(facts, (name, _, call) => {
      if (name !== 'readStream') return call();
      const events = call() as AsyncIterable<unknown>;
      return (async function* () {
        for (let turn = 0; turn < 5; turn += 1) await nextTurn();
        yield* events;
      })();
    });
    const streams = new Streams(slow, undefined, new Walks(50));
    const past: LoadInstitution = (id) => streams.asOf(institution, id, '2100-01-01T00:00:00.000Z', someone());
    for (const load of [past, presentInstitutions(streams)]) {
      const { institutions } = await namedUser(attachedTo(ids), load);
      expect(institutions.map(({ id, name }) => [id, name])).toEqual(ids.map((id) => [id, 'New']));
    }
  });
});
