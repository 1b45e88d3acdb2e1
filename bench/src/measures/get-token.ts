// Measures GET of a protocol with an access token, compared with the same GET in open mode without a token.
import { startGuarded } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { type Load, loadInTurn, loadRow, repeating } from '../lib/load.js';
import { type Server, startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

interface Created {
  readonly id: string;
}

/** Creates a protocol and returns the load of its GET. */
const gettingFrom = async (server: Server, token?: string): Promise<Load> => {
  const body = protocolBody(await anInstitution(server.url, token));
  const protocol = await post<Created>(`${server.url}/protocols`, body, token);
  return repeating(server, { method: 'GET', path: `/protocols/${protocol.id}`, ...(token !== undefined && { token }) });
};

export const getToken: Measure = {
  name: 'get-token',
  title: 'GET of a protocol with an access token',
  run: async (bench) => {
    const { server, token } = await startGuarded(below(bench, 'guarded'));
    const open = await startReady(below(bench, 'open'));
    const { ours, theirs } = await loadInTurn(bench, {
      ours: await gettingFrom(server, token),
      theirs: await gettingFrom(open),
    });
    return [loadRow({ what: 'GET with a token', target: 'get-token', than: 'the same GET, open' }, ours, theirs)];
  },
};
