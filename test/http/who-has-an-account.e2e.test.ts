// Nothing that leaves the service reveals whether a failed sign-in was recorded, which happens only for known
// addresses.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/readiness.js';
import type { ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import type { ProblemDocument } from './support/refusals.js';
import { newEmail, successful, type User } from './support/samples.js';
import { bearerHeader, trySignIn } from './support/signing-in.js';

const server = serverOfThisFile({ AUTH: 'required' });
let administrator: Caller;
/** An observer without an approved profile. */
let stranger: Caller;
let known: Caller;
beforeAll(async () => {
  administrator = await newAdministrator(server);
  stranger = await newCaller(server, administrator, { type: 'NURSE', approved: false });
  known = await newCaller(server, administrator, { type: 'NURSE', approved: false });
});

// The headers that differ between any two responses.
const VARYING = ['date', 'x-request-id', 'ratelimit'];

const seenOf = ({ status, headers, body }: ClientResponse) => {
  const { instance: _, ...document } = body as ProblemDocument;
  return { status, headers: [...headers].filter(([name]) => !VARYING.includes(name)), document };
};

const failuresOf = async ({ user }: Caller): Promise<number> =>
  (await server.recorded(`securityLog-${user.id}`)).filter(({ type }) => type === 'SignInFailed').length;

let writes = 0;
const write = async () => {
  writes += 1;
  return successful(
    await server.put<User>(`/users/${stranger.user.id}`, { firstName: `Ana ${writes}` }, stranger.authorization),
  );
};

const revisionOf = ({ headers }: ClientResponse) => Number(`${headers.get('etag')}`.replaceAll('"', ''));
const tokenOf = ({ headers }: ClientResponse) => `${headers.get('consistency-token')}`;

/**
 * Resolves to everything that a stranger sees of a failed sign-in, and to the number of events that were recorded
 * meanwhile.
 */
const traceOf = async (email: string, recorded: () => Promise<void>) => {
  const before = await write();
  const { length } = await server.recorded();
  const readyBefore = (await server.get('/readyz')).body;
  const refused = await trySignIn(server, email, 'not the password');
  await recorded();
  const readyAfter = (await server.get('/readyz')).body;
  const after = await write();
  return {
    seen: {
      refused: seenOf(refused),
      ready: [readyBefore, readyAfter],
      revisions: revisionOf(after) - revisionOf(before),
      tokens: [before, after].map((response) => tokenOf(response).length),
      headers: [before, after].map(({ headers }) => [...headers.keys()]),
    },
    events: (await server.recorded()).length - length,
    tokens: [tokenOf(before), tokenOf(after)],
  };
};

describe('a failed sign-in', () => {
  it('looks the same to a stranger for a known and an unknown address', async () => {
    const failures = await failuresOf(known);
    const ofKnown = await traceOf(known.email, () =>
      eventually(async () => expect(await failuresOf(known)).toBe(failures + 1)),
    );
    const ofUnknown = await traceOf(newEmail(), async () => {});
    expect(ofUnknown.seen).toEqual(ofKnown.seen);
    // The failure was recorded between the two writes, but only for the known address.
    expect([ofKnown.events, ofUnknown.events]).toEqual([2, 1]);
    // The tokens reveal neither order nor distance: no two share a prefix.
    const tokens = [...ofKnown.tokens, ...ofUnknown.tokens];
    expect(new Set(tokens.map((token) => token.slice(0, 8))).size).toBe(tokens.length);
  });
});

describe('/readyz', () => {
  const readiness = async (headers = {}) => successful(await server.get<Readiness>('/readyz', headers)).body;

  it('shows positions only to administrators, and refuses no token', async () => {
    const { projections } = await readiness(administrator.authorization);
    expect(projections.map(({ position }) => position)).toEqual(projections.map(() => expect.any(String)));
    for (const authorization of [{}, stranger.authorization, known.authorization, bearerHeader('bad')]) {
      const seen = await readiness(authorization);
      expect(seen.status).toBe('ready');
      expect(seen.projections).toEqual(projections.map(({ name }) => ({ name, state: 'current' })));
    }
  });
});

describe('the history of a profile', () => {
  it('shows positions to auditors and administrators, but not to the user of the profile', async () => {
    const auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
    const path = `/users/${stranger.user.id}/profiles/${first(stranger.user.profiles).id}/history`;
    const positionsFor = async ({ authorization }: Caller) => {
      const { body } = successful(await server.get<{ items: readonly { position?: string }[] }>(path, authorization));
      return body.items.map(({ position }) => position);
    };
    for (const each of [administrator, auditor]) expect(await positionsFor(each)).toEqual([expect.any(String)]);
    expect(await positionsFor(stranger)).toEqual([undefined]);
  });
});
