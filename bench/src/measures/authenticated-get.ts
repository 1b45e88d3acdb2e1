// GET of a protocol with an access token, against the same GET in open mode without one.
import { GUARDED, startGuarded } from '../lib/accounts.js';
import { Caller } from '../lib/caller.js';
import { type Server, startReady } from '../lib/processes.js';
import { protocolBody } from '../lib/samples.js';
import { atLeast } from '../lib/stats.js';
import type { Measure } from '../measure.js';
import { below, type Contender, loadInTurn, loadRow } from './http.js';

interface Created {
  readonly id: string;
}

const WITH = 'GET of a protocol with an access token';

/** The GET of a protocol that is made for it. */
const getAt = async (server: Server, token?: string): Promise<Contender> => {
  const caller = new Caller(server.url);
  const post = (path: string, body: object) => caller.json<Created>({ method: 'POST', path, body, token });
  const institution = await post('/institutions', { name: 'General Hospital' });
  const protocol = await post('/protocols', protocolBody(institution.id));
  caller.close();
  const request = { method: 'GET', path: `/protocols/${protocol.id}` } as const;
  return { server, request: token === undefined ? request : { ...request, token } };
};

export const authenticatedGet: Measure = {
  name: 'authenticated-get',
  title: WITH,
  run: async (bench) => {
    const guarded = await startGuarded(below(bench, 'guarded'));
    const open = await startReady(below(bench, 'open'), { ...GUARDED, AUTH: 'open' });
    const samples = await loadInTurn(bench, {
      ours: await getAt(guarded.server, guarded.token),
      open: await getAt(open),
    });
    const row = loadRow(WITH, samples.ours, { name: 'open, without one', samples: samples.open });
    return [{ ...row, aim: atLeast(0.85, row.ratio) }];
  },
};
