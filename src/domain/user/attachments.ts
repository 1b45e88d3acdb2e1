// The decisions on attachments of a user to institutions and unities.
import type { Of } from '../decider.js';
import type { userEvents } from './events.js';
import { activeUserOf, institutionOfUnity, type User } from './state.js';

type UserEvent = Of<typeof userEvents>;
type DataOf<T extends UserEvent['type']> = Extract<UserEvent, { type: T }>['data'];

const has = (items: readonly { readonly id: string }[], id: string): boolean => items.some((item) => item.id === id);

export const attachedToInstitution = (state: User, data: DataOf<'UserAttachedToInstitution'>): readonly UserEvent[] =>
  has(activeUserOf(state).institutions, data.institutionId) ? [] : [{ type: 'UserAttachedToInstitution', data }];

/** Attaches to a unity and, if the user is not attached to its institution, also to that. */
export const attachedToUnity = (
  state: User,
  { institutionName, ...data }: DataOf<'UserAttachedToUnity'> & { readonly institutionName: string },
): readonly UserEvent[] => [
  ...attachedToInstitution(state, { institutionId: data.institutionId, name: institutionName }),
  ...(has(activeUserOf(state).unities, data.unityId) ? [] : [{ type: 'UserAttachedToUnity' as const, data }]),
];

/** Detaches from an institution and, in the same append, from all of its unities. */
export const detachedFromInstitution = (
  state: User,
  data: DataOf<'UserDetachedFromInstitution'>,
): readonly UserEvent[] => {
  const { institutionId } = data;
  const { institutions, unities } = activeUserOf(state);
  const ofInstitution = unities.filter(({ id }) => institutionOfUnity(state, id) === institutionId);
  return [
    ...ofInstitution.flatMap(({ id: unityId }) => detachedFromUnity(state, { institutionId, unityId })),
    ...(has(institutions, institutionId) ? [{ type: 'UserDetachedFromInstitution' as const, data }] : []),
  ];
};

export const detachedFromUnity = (state: User, data: DataOf<'UserDetachedFromUnity'>): readonly UserEvent[] =>
  has(activeUserOf(state).unities, data.unityId) ? [{ type: 'UserDetachedFromUnity', data }] : [];
