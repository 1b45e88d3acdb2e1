// Who loses power at one process has none at the other at the very next request, with the token of a moment ago.
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { administratorBy, type Caller, decide, newCaller } from '../http/callers.js';
import { expectProblem } from '../http/refusals.js';
import { first, successful } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { run } from '../support/process.js';
import type { Server } from '../support/server.js';
import { startServer } from './processes.js';

const REQUIRED = { AUTH: 'required' };

/** Two processes on one directory, two administrators, and a puppet whose profile waits for a decision. */
const opened = async () => {
  const directory = temporaryDirectory();
  const one = await startServer(directory, 'all', REQUIRED);
  const other = await startServer(directory, 'http', REQUIRED);
  const root = await administratorBy(one, (command, input) =>
    run('cli', { environment: { DATA_DIR: directory }, arguments: command, input }),
  );
  const rival = await newCaller(one, root, { type: 'ADMINISTRATOR' });
  const puppet = await newCaller(one, root, { type: 'ADMINISTRATOR', approved: false });
  // Both processes know the rival's session by now.
  for (const server of [one, other]) {
    successful(await server.get('/users', rival.bears));
    successful(await server.post('/specialties', { name: randomUUID() }, rival.bears));
  }
  return { one, other, root, rival, puppet };
};

const WAYS: Readonly<Record<string, (at: Server, by: Caller, whom: Caller) => Promise<unknown>>> = {
  rejected: (at, by, { user }) => decide(at, by, user, 'reject'),
  disabled: async (at, { bears }, { user }) => successful(await at.put(`/users/${user.id}`, { enabled: false }, bears)),
  erased: async (at, { bears }, { user }) =>
    successful(await at.send('DELETE', `/users/${user.id}/personal-data`, { headers: bears })),
};

describe('an administrator', () => {
  it.each(Object.keys(WAYS))('who was %s at one process writes nothing more at either', async (way) => {
    const { one, other, root, rival, puppet } = await opened();
    await WAYS[way]?.(one, root, rival);
    const approval = `/users/${puppet.user.id}/profiles/${first(puppet.user.profiles).id}/approve`;
    for (const server of [other, one]) {
      expectProblem(await server.patch(approval, {}, rival.bears), 401, 'token-refused');
      const revision = await server.put(`/users/${root.user.id}`, { firstName: 'Nobody' }, rival.bears);
      expectProblem(revision, 401, 'token-refused');
      expectProblem(await server.get('/users', puppet.bears), 403, 'not-allowed');
    }
  });
});
