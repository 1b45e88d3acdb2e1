import { expect, it, onTestFinished } from 'vitest';
import { Claims } from '../../src/commands/claims.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { randomIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded, uniquenessGuard } from '../../src/commands/uniqueness.js';
import { specialty, specialtyFields } from '../../src/domain/specialty.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { reclaim } from '../../src/operations/reclaim.js';
import { sharedKey } from '../commands/support/shared-key.js';
import { temporaryDirectory } from '../support/directory.js';

const LIVE = { number: 1, version: 1, state: 'live', stopped: undefined, heldBy: undefined } as const;

it('the reclaiming makes a name taken whose claim was recorded under another comparison', async () => {
  const [facts, vault] = [new SqliteFacts(temporaryDirectory()), new SqliteVault(temporaryDirectory())];
  onTestFinished(() => Promise.all([facts.close(), vault.close()]).then(() => undefined));
  const streams = new Streams(facts);
  const createWith = async (guard: typeof unguarded, name: string) => {
    const command = { type: 'CreateSpecialty', data: { name, description: null, enabled: true } } as const;
    const actor = { id: 'anonymous', roles: [] };
    const ids = randomIds();
    const context = { actor, correlationId: 'trace', causationId: 'request', ids, resumed: false };
    return specialtyFields((await commandHandler(streams, guard)(specialty, 'new', command, context)).state);
  };
  const recorded = [await createWith(unguarded, 'Cardiologia '), await createWith(unguarded, 'दिल')];
  const documents = recorded.map((each) => ({ id: each.id, body: JSON.stringify(each), revision: 0, position: '1' }));
  const walk = async (collection: string, after: string | undefined) =>
    collection === 'specialties' && after === undefined ? documents : [];
  const checkpointsAt = (position: string | undefined) => async () =>
    ['specialties', 'users'].map((projection) => ({ ...LIVE, projection, position }));
  const { signal } = new AbortController();
  const guard = uniquenessGuard(streams, new Claims(vault, sharedKey));
  const reclaimAt = (position: string | undefined) => {
    const views = { walk, checkpoints: checkpointsAt(position) };
    return reclaim({ facts, views, vault, serviceKey: sharedKey }, signal);
  };
  await expect(reclaimAt(undefined)).rejects.toThrow(/behind/);
  for (const _ of [1, 2]) await reclaimAt(await facts.head());
  for (const name of ['Cardiologia', 'दिल']) {
    await expect(createWith(guard, name)).rejects.toMatchObject({ code: 'specialty-name-taken' });
  }
  expect(await createWith(guard, 'Neurologia')).toMatchObject({ name: 'Neurologia' });
});
