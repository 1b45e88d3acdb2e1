// Tests a process that serves requests while no worker signs: it returns no evidence that lacks events.
import { expect, it } from 'vitest';
import { expectProblem } from '../http/support/refusals.js';
import { createDoctor, successful } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { startEngines, startServer } from '../support/processes.js';

withEngines('evidence without a worker', () => {
  it('responds with 503 and Retry-After until the newest event of the user is signed', async () => {
    const server = await startServer(temporaryDirectory(), 'all', await startEngines());
    const { id, profiles } = await createDoctor(server);
    const path = `/users/${id}/profiles/${first(profiles).id}`;
    const signed = successful(await server.get<{ events: unknown[] }>(`${path}/history/evidence`)).body;
    // Nobody folds the events for the process that only serves requests.
    await eventually(async () =>
      expect((await server.get(`/users?limit=200`)).body).toMatchObject({ items: [{ id }] }),
    );
    await server.restart({ ROLES: 'http' });
    successful(await server.patch(`${path}/approve`, {}));
    const response = await server.get(`${path}/history/evidence`);
    expectProblem(response, 503, 'log-behind');
    expect(response.headers.get('retry-after')).toBe('5');
    await server.restart({ ROLES: 'all' });
    const later = successful(await server.get<{ events: unknown[] }>(`${path}/history/evidence`)).body;
    expect(later.events).toHaveLength(signed.events.length + 1);
  });
});
