// The names of the institutions and unities that users are attached to. The stream of a user has each name as it was at
// the time of the attachment, so that a new name is one event, however many users are attached.
import { type Institution, institution } from '../domain/institution.js';
import type { UserFields } from '../domain/user/state.js';
import { readEach } from '../infrastructure/turns.js';
import { emptyOf, type Loaded } from './loaded.js';
import type { Streams } from './streams.js';

// As many as reads of the past: no read of a response waits for another read of the same response, however many there are.
const READS_AT_ONCE = 2;

/** Loads an institution as of the time that a response shows. */
export type LoadInstitution = (id: string) => Promise<Loaded<Institution>>;

/** Returns a user with the names in the loaded institutions. A name that they do not have stays as it was recorded. */
export const namedUser = async (user: UserFields, load: LoadInstitution): Promise<UserFields> => {
  // A user who is attached to a unity is also attached to its institution.
  const loaded = await readEach(user.institutions, ({ id }) => load(id), READS_AT_ONCE);
  const places = loaded.flatMap(({ state }) => ('fields' in state ? [state.fields, ...state.fields.unities] : []));
  const names = new Map(places.map(({ id, name }) => [id, name]));
  const named = ({ id, name }: UserFields['unities'][number]) => ({ id, name: names.get(id) ?? name });
  return { ...user, unities: user.unities.map(named), institutions: user.institutions.map(named) };
};

/**
 * Loads institutions for the response to a write, each once. Nothing may prevent that response: if the log is
 * unavailable, an institution is as this process knows it.
 */
export const presentInstitutions = (streams: Pick<Streams, 'fresh' | 'known'>): LoadInstitution => {
  const loading = new Map<string, Promise<Loaded<Institution>>>();
  return (id) => {
    const known = () => streams.known(institution, id) ?? emptyOf(institution);
    const loaded = loading.get(id) ?? streams.fresh(institution, id).catch(known);
    loading.set(id, loaded);
    return loaded;
  };
};
