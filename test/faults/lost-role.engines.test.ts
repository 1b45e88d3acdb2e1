// An administrator who loses the role at one process loses it at every process: the next request is refused, even with
// a token issued before.
import { randomUUID } from 'node:crypto';
import { it } from 'vitest';
import { administratorBy, type Caller, decide, newCaller } from '../http/support/callers.js';
import { expectProblem } from '../http/support/refusals.js';
import { first, successful } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { withEngines } from '../support/engines-of-file.js';
import { run } from '../support/process.js';
import { startEngines, startServer } from '../support/processes.js';
import { holdRequest } from '../support/raw-http.js';
import type { Server } from '../support/server.js';

const REQUIRED = { AUTH: 'required' };

/** Starts two processes on the same stores and in the same directory, with two administrators and a user whose profile waits for a decision. */
const twoProcesses = async () => {
  const [directory, engines] = [temporaryDirectory(), await startEngines()];
  const one = await startServer(directory, 'all', { ...engines, ...REQUIRED });
  const other = await startServer(directory, 'http', { ...engines, ...REQUIRED });
  const root = await administratorBy(one, (command, input) =>
    run('cli', { environment: engines, arguments: command, input }),
  );
  const rival = await newCaller(one, root, { type: 'ADMINISTRATOR' });
  const applicant = await newCaller(one, root, { type: 'ADMINISTRATOR', approved: false });
  // The requests make both processes cache the rival's session.
  for (const server of [one, other]) {
    successful(await server.get('/users', rival.authorization));
    successful(await server.post('/specialties', { name: randomUUID() }, rival.authorization));
  }
  return { one, other, root, rival, applicant };
};

const REMOVALS: Readonly<Record<string, (at: Server, by: Caller, target: Caller) => Promise<unknown>>> = {
  rejected: (at, by, { user }) => decide(at, by, user, 'reject'),
  disabled: async (at, { authorization }, { user }) =>
    successful(await at.put(`/users/${user.id}`, { enabled: false }, authorization)),
  erased: async (at, { authorization }, { user }) =>
    successful(await at.send('DELETE', `/users/${user.id}/personal-data`, { headers: authorization })),
};

withEngines('an administrator', () => {
  it.each(Object.keys(REMOVALS))(
    'an administrator who is %s at one process can write at no process',
    async (removal) => {
      const { one, other, root, rival, applicant } = await twoProcesses();
      const approval = `/users/${applicant.user.id}/profiles/${first(applicant.user.profiles).id}/approve`;
      const request = { method: 'PATCH', path: approval, headers: rival.authorization, json: {} };
      const held = await Promise.all([other, one].map((server) => holdRequest(server.url, request)));
      // Each process has read its request, and has checked the caller, when it responds to two more requests.
      for (const server of [other, one]) for (const _ of [1, 2]) await server.get('/users', rival.authorization);
      await REMOVALS[removal]?.(one, root, rival);
      for (const { finish } of held) {
        const { status, headers, body } = await finish();
        expectProblem({ status, headers, body: JSON.parse(body) }, 401, 'token-refused');
      }
      for (const server of [other, one]) {
        expectProblem(await server.patch(approval, {}, rival.authorization), 401, 'token-refused');
        const revision = await server.put(`/users/${root.user.id}`, { firstName: 'Nobody' }, rival.authorization);
        expectProblem(revision, 401, 'token-refused');
        expectProblem(await server.get('/users', applicant.authorization), 403, 'not-allowed');
      }
    },
  );
});
