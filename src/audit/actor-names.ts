// The names of those who acted, for readers who may see them: an event has the id of its actor alone.
import type { UserFields } from '../domain/user/state.js';
import type { Views } from '../infrastructure/views/views.js';
import type { ProfileStep } from './profile-history.js';

/** A step of a history with the name that its actor has now; null if the actor is no user, or was erased. */
export interface NamedStep extends ProfileStep {
  readonly actor: ProfileStep['actor'] & { readonly name: string | null };
}

/** Returns steps with the names of their actors. */
export const withActorNames = async (
  views: Pick<Views, 'getAll'>,
  steps: readonly ProfileStep[],
): Promise<readonly NamedStep[]> => {
  const ids = [...new Set(steps.map(({ actor }) => actor.id))];
  const found = await views.getAll('users', ids);
  const names = new Map(found.map(({ id, body }) => [id, nameOf(JSON.parse(body) as UserFields)]));
  return steps.map((step) => ({ ...step, actor: { ...step.actor, name: names.get(step.actor.id) ?? null } }));
};

const nameOf = ({ firstName, lastName }: UserFields): string | null =>
  [firstName, lastName].filter((part) => part !== null).join(' ') || null;
