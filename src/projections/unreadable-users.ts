// The users whose personal fields cannot be opened, as far as the read model of users was folded. The collection
// belongs to that read model: a rebuild after a restore of the facts clears both.
import type { EventContext, Evolve } from '../domain/decider.js';
import type { userEvents } from '../domain/user/events.js';
import { collection } from './projection.js';

export const UNREADABLE = 'unreadable';

/** A user with events that cannot be opened, or could not be opened when the user was erased. */
export interface Unreadable {
  readonly userId: string;
  readonly state: typeof UNREADABLE | 'erased';
}

type PersonalEvent =
  | 'UserRegistered'
  | 'UserRevised'
  | 'UserProfileAdded'
  | 'UserProfileApproved'
  | 'UserProfileRejected'
  | 'UserProfileResubmitted'
  | 'UserPhoneChanged'
  | 'UserSignInEmailChanged';

const marked = (
  document: Unreadable | undefined,
  _: unknown,
  { id, isUnreadable }: EventContext,
): Unreadable | undefined => (isUnreadable ? { userId: id, state: UNREADABLE } : document);

const evolveUnreadable: Evolve<Unreadable | undefined, Pick<typeof userEvents, PersonalEvent | 'UserErased'>> = {
  UserRegistered: marked,
  UserRevised: marked,
  UserProfileAdded: marked,
  UserProfileApproved: marked,
  UserProfileRejected: marked,
  UserProfileResubmitted: marked,
  UserPhoneChanged: marked,
  UserSignInEmailChanged: marked,
  UserErased: (document) => document && { ...document, state: 'erased' },
};

export const unreadableUsersCollection = collection({
  name: 'unreadableUsers',
  within: 'state',
  indexes: { state: 'equal' },
  idOf: (_, userId) => userId,
  when: evolveUnreadable,
  index: ({ state }) => ({ state }),
});
