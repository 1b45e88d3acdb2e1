// An administrator who loses the role at one process loses it at every process: the next request is refused, even with
// a token issued before. The last administrator loses it at no process.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { administratorBy, type Caller, decide, newCaller } from '../http/support/callers.js';
import { expectProblem } from '../http/support/refusals.js';
import { numbered, successful, type User } from '../http/support/samples.js';
import { bearerHeader, signIn } from '../http/support/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { withEngines } from '../support/engines-of-file.js';
import { first } from '../support/items.js';
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

const rejectionOf = ({ user }: Caller, profileId: string) => `/users/${user.id}/profiles/${profileId}/reject`;

const profilesOf = async (at: Server, { authorization }: Caller, { user: { id } }: Caller) =>
  successful(await at.get<User>(`/users/${id}`, authorization)).body.profiles;

/** Signs a caller in again, whose sessions a decision has ended. */
const again = async (at: Server, caller: Caller): Promise<Caller> => {
  const { token, refreshToken } = await signIn(at, caller.email);
  return { ...caller, token, refreshToken, authorization: bearerHeader(token) };
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

  it('remains if administrators at two processes reject all profiles of each other at the same time', async () => {
    const { one, other, ...callers } = await twoProcesses();
    let { root, rival } = callers;
    successful(await one.post(`/users/${rival.user.id}/profiles`, { type: 'ADMINISTRATOR' }, root.authorization));
    for (const _ of numbered(3, (n) => n)) {
      const profiles = await profilesOf(one, root, rival);
      for (const profile of profiles) await decide(one, root, { ...rival.user, profiles: [profile] }, 'approve');
      [root, rival] = [await again(one, root), await again(other, rival)];
      const responses = await Promise.all([
        ...profiles.map(({ id }) => one.patch(rejectionOf(rival, id), {}, root.authorization)),
        other.patch(rejectionOf(root, first(root.user.profiles).id), {}, rival.authorization),
      ]);
      expect(responses.map(({ status }) => status)).toContain(200);
      [root, rival] = [await again(one, root), await again(other, rival)];
      const isRoot = (await one.get('/users', root.authorization)).status === 200;
      if (isRoot) continue;
      expect((await other.get('/users', rival.authorization)).status).toBe(200);
      await decide(other, rival, root.user, 'approve');
      root = await again(one, root);
    }
  });
});
