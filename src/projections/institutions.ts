// The read model of institutions, of their unities for the list of an institution's unities, and of the names of both
// for the users who are attached to them.
import { comparableName } from '../domain/comparable.js';
import type { Evolve } from '../domain/decider.js';
import { evolveInstitutionFields, evolveUnity, type institutionEvents } from '../domain/institution.js';
import type { UserFields } from '../domain/user/state.js';
import type { Views } from '../infrastructure/views/views.js';
import { collection, projection } from './projection.js';

// An attachment in JSON. No other object in a User has these members, and in a text the quotes are escaped.
const ATTACHMENT = /\{"id":"([^"]+)","name":"[^"\\]*(?:\\.[^"\\]*)*"\}/g;
// The end of a User without attachments, so that a GET of such a user searches for nothing.
const UNATTACHED = '"institutions":[]}';
// No more than `getAll` returns.
const NAMES_AT_ONCE = 500;

/** Returns the ids of the institutions and unities that users are attached to, from the JSON text of these users. */
export const attachedIn = (json: string): readonly string[] =>
  json.endsWith(UNATTACHED) ? [] : [...new Set(Array.from(json.matchAll(ATTACHMENT), ([, id = '']) => id))];

/** Returns the JSON text of users with the present names of the institutions and unities with these ids. */
export const withPresentNames = async (views: Pick<Views, 'getAll'>, json: string, ids: readonly string[]) => {
  const present = new Map<string, string>();
  for (let from = 0; from < ids.length; from += NAMES_AT_ONCE) {
    const some = ids.slice(from, from + NAMES_AT_ONCE);
    for (const { id, body } of await views.getAll('attachmentNames', some)) present.set(id, body);
  }
  return json.replace(ATTACHMENT, (recorded, id: string) => present.get(id) ?? recorded);
};

const evolveName: Evolve<UserFields['institutions'][number] | undefined, typeof institutionEvents> = {
  InstitutionCreated: (_, { name }, { id }) => ({ id, name }),
  InstitutionRevised: (_, { name }, { id }) => ({ id, name }),
  UnityAdded: (_, { unityId: id, name }) => ({ id, name }),
  UnityRevised: (_, { unityId: id, name }) => ({ id, name }),
};

export const institutions = projection({
  name: 'institutions',
  version: 3,
  aggregates: ['institution'],
  root: collection({
    name: 'institutions',
    idOf: (_, institutionId) => institutionId,
    when: evolveInstitutionFields,
    indexes: (index) => [index('prefix', 'name', ({ name }) => comparableName(name))],
  }),
  parts: [
    collection({
      name: 'attachmentNames',
      idOf: (data, institutionId) => ('unityId' in data ? data.unityId : institutionId),
      when: evolveName,
      indexes: () => [],
    }),
    collection({
      name: 'unities',
      idOf: ({ unityId }, institutionId) => `${institutionId}/${unityId}`,
      when: evolveUnity,
      indexes: (index) => [
        index('equal', 'institutionId', ({ institutionId }) => institutionId),
        index('prefix', 'name', ({ name }) => comparableName(name)),
      ],
    }),
  ],
});
