// The `/readyz` fault about users whose personal fields cannot be opened.
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { FaultSource } from '../infrastructure/fault.js';
import type { UnreadableEvents } from '../infrastructure/sealing/unreadable.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import type { Views } from '../infrastructure/views/views.js';
import { UNREADABLE, type Unreadable, unreadableUsersCollection } from '../projections/unreadable-users.js';
import { users } from '../projections/users.js';

/** The sources that know such users. */
export interface UnreadableUserSources {
  readonly facts: Facts;
  readonly views: Views;
  /** The unreadable events that this process has read since its start. */
  readonly unreadable: UnreadableEvents;
}

// The count runs at every probe. Above this number, the exact count is not worth the time.
const MAX_COUNTED = 100;

/** Returns the source of the fault `personal-fields-unreadable`. It counts users without naming them. */
export const unreadableUsers =
  ({ facts, views, unreadable }: UnreadableUserSources): FaultSource =>
  async () => {
    const known = [...(await unreadable.streams(facts))].map(aggregateIdOf);
    const { size } = new Set([...known, ...(await foldedIn(views))]);
    if (size === 0) return [];
    const many = size > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${size}`;
    const detail =
      `Users whose personal fields cannot be opened: ${many}. Commands on these users are rejected. ` +
      'The log and `npm run cli -- verify` name the events. Restore the facts from a backup, then run ' +
      `\`npm run cli -- projections rebuild ${users.name}\`.`;
    return [{ code: 'personal-fields-unreadable', detail }];
  };

/** Returns the users whose fields are null in the read model because they could not be opened. */
const foldedIn = async (views: Views): Promise<readonly string[]> => {
  const where = { state: UNREADABLE };
  const query = {
    collection: unreadableUsersCollection.name,
    where,
    prefix: {},
    after: undefined,
    limit: MAX_COUNTED + 1,
  };
  try {
    const { json } = await views.list({ ...query, order: 'oldest-first' });
    return (JSON.parse(json) as readonly Unreadable[]).map(({ userId }) => userId);
  } catch (error) {
    // `/readyz` itself reports unreachable read models.
    if (error instanceof StoreUnavailable) return [];
    throw error;
  }
};
