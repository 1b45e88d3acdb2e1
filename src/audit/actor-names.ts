// Adds the names of actors for readers who may see them. An event holds only the id of its actor.
import type { UserFields } from '../domain/user/state.js';
import type { Views } from '../infrastructure/views/views.js';
import type { ProfileStep } from './profile-history.js';

/** A step of a history with the current name of its actor; null if the actor is not a user or was erased. */
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
