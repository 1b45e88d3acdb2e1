// Measures PATCH approve and reject, compared with POST /protocols on the same service.
import { join } from 'node:path';
import { below } from '../lib/below.js';
import { CONNECTIONS, type Load, loadInTurn, loadRow, repeating } from '../lib/load.js';
import { openEmbedded, writePeople } from '../lib/people.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import type { Bench, Measure } from '../measure.js';

/** Writes people into a store that no server has open yet. */
const peopleIn = async (directory: string, { quick }: Bench) => {
  const stores = await openEmbedded(join(directory, 'data'));
  const people = await writePeople(stores.facts, quick ? 200 : 2_000, 1);
  await stores.close();
  return people;
};

export const decisions: Measure = {
  name: 'decisions',
  title: 'PATCH approve and reject',
  run: async (bench) => {
    const directory = below(bench, 'product');
    const people = await peopleIn(directory, bench);
    const server = await startReady(directory);
    const body = protocolBody(await anInstitution(server.url));
    // Each connection decides on a different profile, and alternates between the two decisions.
    const requestsOf: Load['requestsOf'] = (connection) => {
      const { id, profileId } = people[connection % CONNECTIONS] ?? { id: '', profileId: '' };
      return ['approve', 'reject'].map((decision) => ({
        method: 'PATCH',
        path: `/users/${id}/profiles/${profileId}/${decision}`,
        body: { reason: 'Looked up.' },
      }));
    };
    const { ours, theirs } = await loadInTurn(bench, {
      ours: { server, requestsOf },
      theirs: repeating(server, { method: 'POST', path: '/protocols', body }),
    });
    return [loadRow({ what: 'approve and reject', target: 'decisions', than: 'POST /protocols' }, ours, theirs)];
  },
};
