// Measures PATCH approve and reject, compared with POST /protocols on the same service.
import { doctorBody } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { CONNECTIONS, loadInTurn, loadRow, repeating } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

interface Doctor {
  readonly id: string;
  readonly profiles: readonly { readonly id: string }[];
}

/** Registers doctors, and returns the paths of their profiles. */
const profilesOn = (url: string, count: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { id, profiles } = await post<Doctor>(`${url}/users/doctor`, doctorBody(n + 1));
      return `/users/${id}/profiles/${profiles[0]?.id}`;
    }),
  );

export const decisions: Measure = {
  name: 'decisions',
  title: 'PATCH approve and reject',
  run: async (bench) => {
    const server = await startReady(below(bench, 'product'));
    // So many that a request never overtakes another one about the same profile.
    const profiles = await profilesOn(server.url, 4 * CONNECTIONS);
    const body = protocolBody(await anInstitution(server.url));
    const requests = ['approve', 'reject'].flatMap((decision) =>
      profiles.map((profile) => ({
        method: 'PATCH' as const,
        path: `${profile}/${decision}`,
        body: { reason: 'Looked up.' },
      })),
    );
    const { ours, theirs } = await loadInTurn(bench, {
      ours: { server, requests },
      theirs: repeating(server, { method: 'POST', path: '/protocols', body }),
    });
    return [loadRow({ what: 'approve and reject', target: 'decisions', than: 'POST /protocols' }, ours, theirs)];
  },
};
