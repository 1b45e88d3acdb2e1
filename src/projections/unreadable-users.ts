// The users whose personal fields cannot be opened, as far as the read model of users was folded, and the fault of
// `/readyz` about them. The collection belongs to that read model: a rebuild after a restore of the facts clears both.
import type { EventContext, Evolve } from '../domain/decider.js';
import { personalPathsOf } from '../domain/personal.js';
import { userEvents } from '../domain/user/events.js';
import { ignoreUnavailable } from '../infrastructure/errors.js';
import type { FaultSource } from '../infrastructure/fault.js';
import { TOOL } from '../infrastructure/tool.js';
import type { Views } from '../infrastructure/views/views.js';
import { collection } from './projection.js';

const UNREADABLE = 'unreadable';

/** A user with events that cannot be opened, or could not be opened when the user was erased. */
export interface Unreadable {
  readonly userId: string;
  readonly state: typeof UNREADABLE | 'erased';
}

const marked = (
  document: Unreadable | undefined,
  _: unknown,
  { id, isUnreadable }: EventContext,
): Unreadable | undefined => (isUnreadable ? { userId: id, state: UNREADABLE } : document);

const evolveUnreadable: Evolve<Unreadable | undefined, Partial<typeof userEvents>> = {
  ...Object.fromEntries([...personalPathsOf(userEvents).keys()].map((type) => [type, marked])),
  UserErased: (document) => document && { ...document, state: 'erased' },
};

export const unreadableUsersCollection = collection({
  name: 'unreadableUsers',
  idOf: (_, userId) => userId,
  when: evolveUnreadable,
  indexes: (index) => [index('equal', 'state', ({ state }) => state)],
});

// The count runs at every probe. Above this number, the exact count is not worth the time.
const MAX_COUNTED = 100;

const UNREADABLE_USERS = {
  collection: unreadableUsersCollection.name,
  where: { state: UNREADABLE },
  after: undefined,
  limit: MAX_COUNTED + 1,
  order: 'oldest-first',
} as const;

/** Returns the source of the fault `personal-fields-unreadable`. It counts users without naming them. */
export const unreadableUsers =
  (views: Pick<Views, 'list'>): FaultSource =>
  async () => {
    // `/readyz` itself reports unreachable read models.
    const found = await views.list(UNREADABLE_USERS).catch(ignoreUnavailable);
    const size = found?.places.length ?? 0;
    if (size === 0) return [];
    const many = size > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${size}`;
    const detail =
      `Users whose personal fields cannot be opened: ${many}. Commands on these users are rejected. ` +
      `The log and \`${TOOL} verify\` name the events. Restore the event store from a backup, then run ` +
      `\`${TOOL} projections rebuild users\`.`;
    return [{ code: 'personal-fields-unreadable', detail }];
  };
