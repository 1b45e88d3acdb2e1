// Finds users in the log whose key or whose claims on unique values are missing from the vault, which shows that the
// vault was lost or is older than the facts.
import { Claims } from '../commands/claims.js';
import { fold } from '../domain/decider.js';
import type { UniqueValue } from '../domain/unique.js';
import type { userEvents } from '../domain/user/events.js';
import type { User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { PAGE } from '../infrastructure/pages.js';
import type { AllStores } from '../infrastructure/stores.js';
import { streamName } from '../infrastructure/stream-name.js';
import { Tally } from '../infrastructure/tally.js';
import { readEach } from '../infrastructure/turns.js';
import { type Examined, misfitOf } from './examined.js';

export const ERASURE: keyof typeof userEvents = 'UserErased';

/** A user up to the last event taken. */
export class SurveyedUser {
  /** Whether the first event has sealed fields, which means that the person had a key. */
  beginsSealed = false;
  /** False if the person's key was needed but is missing. */
  hasKey = true;
  /** Whether every event is there, and could be read and interpreted. */
  isReadable = true;
  isErased = false;

  constructor(readonly id: string) {}

  /** Takes the next event. `isNext` is whether no event is missing before it. */
  take({ event, isSealed, hasKey, sealFault, isLater, misfit }: Examined, isNext: boolean): void {
    if (event.revision === 0) this.beginsSealed = isSealed;
    this.hasKey &&= hasKey;
    this.isReadable &&= isNext && hasKey && sealFault === undefined && !isLater;
    this.isErased ||= misfit === undefined && event.type === ERASURE;
  }
}

export interface UserFindings {
  /** The number of users with sealed fields. */
  readonly persons: number;
  /** The number of users whose unique values could be read. */
  readonly claimants: number;
  /** Users who have no key and were not erased. */
  readonly keyless: Tally;
  /** Users who lack a claim of a unique value. */
  readonly unclaimed: Tally;
  /** Users whose unique values cannot be read. */
  readonly unreadable: Tally;
}

/** Looks up the keys and the claims of users. Reads the streams of all users who were not erased. */
export const surveyUsers = async (stores: UserStores, users: readonly SurveyedUser[]): Promise<UserFindings> => {
  const [keyless, unclaimed, unreadable] = [new Tally(), new Tally(), new Tally()];
  const unclaimedAmong = await unclaimedFinder(stores);
  const held = users.filter(({ isErased }) => !isErased);
  let claimants = 0;
  for (let from = 0; from < held.length; from += PAGE.items) {
    const current = await currentOf(stores, held.slice(from, from + PAGE.items));
    const lost = current.filter(({ isReadable }) => !isReadable);
    keyless.add(...lost.filter(({ beginsSealed, hasKey }) => beginsSealed && !hasKey).map(idOf));
    unreadable.add(...lost.map(idOf));
    const readable = current.filter(({ isReadable }) => isReadable);
    claimants += readable.filter(({ values }) => values.length > 0).length;
    // The service may be running, and may have changed a user between the read of the stream and that of the claims.
    const suspects = await currentOf(stores, await unclaimedAmong(readable));
    unclaimed.add(...(await unclaimedAmong(suspects)).map(idOf));
  }
  const persons = users.filter(({ beginsSealed }) => beginsSealed).length;
  return { persons, claimants, keyless, unclaimed, unreadable };
};

type UserStores = Pick<AllStores, 'facts' | 'vault' | 'serviceKey'>;

/** A user with the unique values in the current stream. */
interface CurrentUser extends Omit<SurveyedUser, 'take'> {
  readonly values: readonly UniqueValue[];
}

const idOf = ({ id }: CurrentUser): string => id;

/** Returns those of the users who are not erased now. */
const currentOf = async (
  { facts }: UserStores,
  users: readonly Omit<SurveyedUser, 'take'>[],
): Promise<readonly CurrentUser[]> => {
  const loaded = await readEach(users, async (each) => {
    const state = await stateOf(facts, each.id);
    return { ...each, isErased: state.status === 'erased', values: user.unique?.values(state) ?? [] };
  });
  return loaded.filter(({ isErased }) => !isErased);
};

/** Returns the state of a user. Leaves out events that no decision can have recorded, which the check `events` reports. */
const stateOf = async (facts: Facts, id: string): Promise<User> => {
  let state = user.initialState;
  try {
    for await (const event of facts.readStream(streamName(user.aggregate, id))) {
      if (misfitOf(event) === undefined) state = fold(user, state, event, { id, at: event.metadata.at });
    }
  } catch (error) {
    // Every request that needs the stream reports it.
    if (!(error instanceof StreamTruncated)) throw error;
    return user.initialState;
  }
  return state;
};

/** Returns a function that finds the users who lack the claim of one of their values. */
const unclaimedFinder = async ({ vault, serviceKey }: UserStores) => {
  // Without the key of claims, nothing was ever claimed. This check must not create the key.
  const hasClaims = (await vault.get({ kind: 'service-key', key: 'claims' })) !== undefined;
  const claims = new Claims(vault, () => serviceKey('claims'));
  return async (users: readonly CurrentUser[]): Promise<readonly CurrentUser[]> => {
    const values = users.flatMap((owner) => owner.values.map((value) => ({ ...value, owner })));
    const claimants = hasClaims ? await claims.claimants(values) : [];
    return [...new Set(values.filter(({ owner }, index) => claimants[index] !== owner.id).map(({ owner }) => owner))];
  };
};
