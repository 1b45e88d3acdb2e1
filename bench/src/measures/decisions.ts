// Measures PATCH approve and reject, compared with POST /protocols on the same service.
import { doctorBody } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { CONNECTIONS, loadInTurn, loadRow, repeating } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Repeated } from '../lib/wrk.js';
import type { Measure } from '../measure.js';

const AT_ONCE = 4;

interface Doctor {
  readonly id: string;
  readonly profiles: readonly { readonly id: string }[];
}

/** Registers doctors, a few at a time, and returns the paths of their profiles. */
export const profilesOn = async (url: string, count: number): Promise<readonly string[]> => {
  const paths: string[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n + 1).values();
  const register = async () => {
    for (const n of numbers) {
      const { id, profiles } = await post<Doctor>(`${url}/users/doctor`, doctorBody(n));
      paths.push(`/users/${id}/profiles/${profiles[0]?.id}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, register));
  return paths;
};

/** Returns the requests that approve every profile and then reject every profile. */
export const decidingOn = (profiles: readonly string[]): readonly Repeated[] =>
  ['approve', 'reject'].flatMap((decision) =>
    profiles.map((profile) => ({ method: 'PATCH', path: `${profile}/${decision}`, body: { reason: 'Looked up.' } })),
  );

export const decisions: Measure = {
  name: 'decisions',
  title: 'PATCH approve and reject',
  run: async (bench) => {
    const server = await startReady(below(bench, 'product'));
    // So many that a request never overtakes another one about the same profile.
    const profiles = await profilesOn(server.url, 4 * CONNECTIONS);
    const body = protocolBody(await anInstitution(server.url));
    const { ours, theirs } = await loadInTurn(bench, {
      ours: { server, requests: decidingOn(profiles) },
      theirs: repeating(server, { method: 'POST', path: '/protocols', body }),
    });
    return [loadRow({ what: 'approve and reject', target: 'decisions', than: 'POST /protocols' }, ours, theirs)];
  },
};
