// What `/readyz` says of users whose personal fields do not open.
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { FaultSource } from '../infrastructure/fault.js';
import type { UnreadableEvents } from '../infrastructure/sealing/unreadable.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import type { Views } from '../infrastructure/views/views.js';
import { UNREADABLE, type Unreadable, unreadableUsersCollection } from '../projections/unreadable-users.js';
import { users } from '../projections/users.js';

/** What knows of such users. */
export interface UnreadableUserSources {
  readonly facts: Facts;
  readonly views: Views;
  /** What this process met since its start. */
  readonly unreadable: UnreadableEvents;
}

// The fault is read at every probe: above this number the exact count is not worth its time.
const MOST = 100;

/** Returns the source of the fault `personal-fields-unreadable`. It counts users and names nobody. */
export const unreadableUsers =
  ({ facts, views, unreadable }: UnreadableUserSources): FaultSource =>
  async () => {
    const met = [...(await unreadable.streams(facts))].map(aggregateIdOf);
    const { size } = new Set([...met, ...(await foldedIn(views))]);
    if (size === 0) return [];
    const many = size > MOST ? `more than ${MOST}` : `${size}`;
    const detail =
      `Users with personal fields that do not open: ${many}. Commands on these users are refused. ` +
      'The log and `npm run cli -- verify` name the events. Restore the facts from a backup, then run ' +
      `\`npm run cli -- projections rebuild ${users.name}\`.`;
    return [{ code: 'personal-fields-unreadable', detail }];
  };

/** Returns the users whose fields are null in the read model because they did not open. */
const foldedIn = async (views: Views): Promise<readonly string[]> => {
  const where = { state: UNREADABLE };
  const query = { collection: unreadableUsersCollection.name, where, prefix: {}, after: undefined, limit: MOST + 1 };
  try {
    const { json } = await views.list({ ...query, order: 'oldest-first' });
    return (JSON.parse(json) as readonly Unreadable[]).map(({ userId }) => userId);
  } catch (error) {
    // `/readyz` itself reports read models that cannot be reached.
    if (error instanceof StoreUnavailable) return [];
    throw error;
  }
};
