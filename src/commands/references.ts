// Checks references between aggregates. A decision never reads a view: the check reads the referenced aggregate's
// stream.

import { comparableSpecialty } from '../domain/comparable.js';
import { DomainError, type FieldError } from '../domain/errors.js';
import { uuid } from '../domain/fields.js';
import { type Institution, institution, unityOf } from '../domain/institution.js';
import { specialty } from '../domain/specialty.js';
import { activeUserOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import type { Claims } from './claims.js';
import type { Streams } from './streams.js';
import { ownerOf } from './uniqueness.js';

/** Rejects a command whose `institutionId` names no institution. */
export const institutionMustExist = async (streams: Streams, institutionId: string): Promise<void> => {
  const { revision } = await streams.load(institution, institutionId);
  if (revision >= 0) return;
  const message = 'names no institution';
  throw new DomainError('fields-refused', { errors: [{ path: ['institutionId'], code: 'not-found', message }] });
};

/** Returns the institution with its name. Rejects with `institution-not-found`. */
export const institutionNamed = async (streams: Streams, institutionId: string): Promise<{ readonly name: string }> =>
  activeInstitution((await streams.load(institution, institutionId)).state);

/** Returns the institution and one of its unities. Rejects with `institution-not-found` or `unity-not-found`. */
export const unityNamed = async (streams: Streams, institutionId: string, unityId: string) => {
  const known = await streams.load(institution, institutionId);
  const hasUnity = known.state.status === 'active' && known.state.fields.unities.some(({ id }) => id === unityId);
  // Another process may have added the unity since.
  const { state } = hasUnity || known.fresh ? known : await streams.refresh(institution, institutionId, known);
  return { institution: activeInstitution(state), unity: unityOf(state, unityId) };
};

const activeInstitution = (state: Institution) => {
  if (state.status === 'unknown') throw new DomainError('institution-not-found', {});
  return state.fields;
};

type Path = FieldError['path'];

/** Rejects a request that names, at these places, an unknown user or a user whose personal data were erased. */
export const usersMustExist = async (
  streams: Streams,
  named: readonly { readonly userId: string; readonly path: Path }[],
): Promise<void> => {
  const found = await Promise.all(named.map(async (each) => ({ ...each, ...(await streams.load(user, each.userId)) })));
  const message = 'names no user';
  refuse(found.filter(({ revision }) => revision < 0).map(({ path }) => ({ path, code: 'not-found', message })));
  for (const { state } of found) activeUserOf(state);
};

/**
 * Returns the id of the specialty that a request names by id or by name; undefined if the catalogue does not have it.
 */
export type FindSpecialty = (named: string) => Promise<string | undefined>;

/** Returns a function that finds specialties by id, and by name as specialties are compared. */
export const specialtyNamed =
  (dependencies: { readonly streams: Streams; readonly claims: Claims }): FindSpecialty =>
  async (named) => {
    const id = uuid().safeParse(named);
    if (id.success && (await dependencies.streams.load(specialty, id.data)).revision >= 0) return id.data;
    return ownerOf(dependencies, specialty, { kind: 'specialty-name', value: comparableSpecialty(named) });
  };

/** Returns the ids of the specialties in these lists. Rejects unknown ids, and ids that a list names twice. */
export const specialtiesNamed = async (
  find: FindSpecialty,
  lists: readonly { readonly named: readonly string[]; readonly path: Path }[],
): Promise<readonly (readonly string[])[]> => {
  const found = await Promise.all(lists.map(({ named }) => Promise.all(named.map(find))));
  refuse(found.flatMap((ids, list) => faultsIn(ids, lists[list]?.path ?? [])));
  return found.map((ids) => ids.filter((id) => id !== undefined));
};

const faultsIn = (ids: readonly (string | undefined)[], path: Path): readonly FieldError[] =>
  ids.flatMap((id, index): FieldError[] => {
    const at = [...path, index];
    if (id === undefined) return [{ path: at, code: 'not-found', message: 'names no specialty of the catalogue' }];
    const isFirst = ids.indexOf(id) === index;
    return isFirst
      ? []
      : [{ path: at, code: 'duplicate', message: 'must not name the same specialty as a previous item' }];
  });

const refuse = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
};
