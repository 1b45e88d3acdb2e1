// Uses of refresh tokens, each session with the token that the use before gave it, against POST /protocols of the same
// service: both are one durable write, which those of all connections share by group commit. A refresh signs a token
// besides; POST /protocols has its event projected.
import { makeAccounts, signInAll, startGuarded, type Tokens } from '../lib/accounts.js';
import { Caller } from '../lib/caller.js';
import { CONNECTIONS } from '../lib/load.js';
import { rateOf, type Send } from '../lib/rate.js';
import { protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';
import { below } from './http.js';
import { pairRow } from './pair.js';

/** Goes on with a session for each connection. */
const refreshing = (sessions: readonly Tokens[]): Send => {
  const latest = sessions.map(({ refreshToken }) => refreshToken);
  return async (caller, connection) => {
    const body = { refresh_token: latest[connection] };
    const { refreshToken } = await caller.json<Tokens>({ method: 'POST', path: '/auth-service/refresh-token', body });
    latest[connection] = refreshToken;
  };
};

const creating = async (url: string, token: string): Promise<Send> => {
  const caller = new Caller(url);
  const named = { method: 'POST', path: '/institutions', body: { name: 'General Hospital' }, token };
  const { id } = await caller.json<{ readonly id: string }>(named);
  caller.close();
  const sent = { method: 'POST', path: '/protocols', body: protocolBody(id), token };
  return (other) => other.text(sent);
};

export const refreshes: Measure = {
  name: 'refreshes',
  title: 'uses of refresh tokens',
  run: async (bench) => {
    const guarded = await startGuarded(below(bench, 'product'));
    const { server, token } = guarded;
    try {
      const refresh = refreshing(await signInAll(server.url, await makeAccounts(guarded, CONNECTIONS)));
      const create = await creating(server.url, token);
      const each = bench.quick ? 20 : 300;
      const row = { what: 'POST /auth-service/refresh-token', unit: 'requests/s', than: 'POST /protocols' };
      const rate = (send: Send) => () => rateOf(server.url, each, send);
      for (const send of [refresh, create]) await rate(send)();
      const found = await pairRow(bench, row, [rate(refresh), rate(create)]);
      return [{ ...found, notes: [`${CONNECTIONS} sessions, a connection each`] }];
    } finally {
      await server.stop();
    }
  },
};
