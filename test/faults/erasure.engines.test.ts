import { describe, expect, it } from 'vitest';
import { tracedPerson } from '../http/support/erased-person.js';
import { expectProblem } from '../http/support/refusals.js';
import { successful, type User } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { onRealSet, startEngineSet } from '../support/engine-set.js';
import { withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { startEngines, startServer, startWorker, tokenOf } from '../support/processes.js';
import { erasureSuite, expectErasedElsewhere } from './erasure.suite.js';
import { enginesOf } from './support/sets.js';

onRealSet('on the distributed engines', () => erasureSuite(async () => enginesOf(await startEngineSet())));

withEngines('an erasure with several processes', () =>
  describe('an erasure with several processes', () => {
    it('without a worker is recorded but unfinished (503), and is completed by a second request once one runs', async () => {
      const [directory, engines] = [temporaryDirectory(), await startEngines()];
      const server = await startServer(directory, 'http', engines);
      const worker = await startWorker(directory, engines);
      const { userId } = await tracedPerson(server);
      successful(await server.get('/users', tokenOf(await server.put(`/users/${userId}`, { gender: null }))));
      expect(await worker.stop()).toBe(0);

      const erase = () => server.send<User>('DELETE', `/users/${userId}/personal-data`);
      const unfinished = await erase();
      expectProblem(unfinished, 503, 'erasure-unfinished');
      expect(unfinished.headers.get('retry-after')).toMatch(/^\d+$/);
      expectProblem(await server.put(`/users/${userId}`, { firstName: 'Bia' }), 410, 'user-erased');
      expectProblem(await erase(), 503, 'erasure-unfinished');

      await startWorker(directory, engines);
      const { body } = await eventually(async () => successful(await erase()));
      expect(body).toMatchObject({ id: userId, firstName: null, auth: [] });
      const { items } = successful(
        await server.get<{ items: readonly { type: string }[] }>(`/audit/events?stream=user-${userId}`),
      ).body;
      expect(items.filter(({ type }) => type === 'UserErased')).toHaveLength(1);
    });

    it('leaves no value of the person in the responses of another process', async () => {
      const engines = await startEngines();
      const erasing = await startServer(temporaryDirectory(), 'all', engines);
      const reading = await startServer(temporaryDirectory(), 'http', engines);
      await expectErasedElsewhere(reading, async (userId) => {
        successful(await erasing.send('DELETE', `/users/${userId}/personal-data`));
      });
    });
  }),
);
