// Checks references to institutions, unities and users. A decision never reads a view: the check reads the stream of
// the aggregate that is named.
import { DomainError, type FieldError } from '../domain/errors.js';
import { institution, institutionFields, unityOf } from '../domain/institution.js';
import { activeUserOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { readEach } from '../infrastructure/turns.js';
import type { Streams } from './streams.js';

export const institutionMustExist = async (streams: Streams, institutionId: string): Promise<void> => {
  const { revision } = await streams.load(institution, institutionId);
  if (revision < 0) refuse([{ path: ['institutionId'], code: 'not-found', message: 'names no institution' }]);
};

/** Returns the institution with its name. Rejects with `institution-not-found`. */
export const institutionNamed = async (streams: Streams, institutionId: string): Promise<{ readonly name: string }> =>
  institutionFields((await streams.load(institution, institutionId)).state);

/** Returns the institution and one of its unities. Rejects with `institution-not-found` or `unity-not-found`. */
export const unityNamed = async (streams: Streams, institutionId: string, unityId: string) => {
  const known = await streams.load(institution, institutionId);
  const hasUnity = known.state.status === 'active' && known.state.fields.unities.some(({ id }) => id === unityId);
  // Another process may have added the unity since.
  const { state } = hasUnity || known.fresh ? known : await streams.refresh(institution, institutionId, known);
  return { institution: institutionFields(state), unity: unityOf(state, unityId) };
};

type Path = FieldError['path'];

/**
 * Rejects a request that names, at these places, an unknown user or a user whose personal data were erased, maybe by
 * another process.
 */
export const usersMustExist = async (
  streams: Streams,
  named: readonly { readonly userId: string; readonly path: Path }[],
): Promise<void> => {
  const found = await readEach(named, async (each) => ({ ...each, ...(await streams.fresh(user, each.userId)) }));
  const message = 'names no user';
  refuse(found.filter(({ revision }) => revision < 0).map(({ path }) => ({ path, code: 'not-found', message })));
  for (const { state } of found) activeUserOf(state);
};

/** Throws `fields-refused` if there are errors. */
export const refuse = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
};
