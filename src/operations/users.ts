// Finds users in the log whose key or whose claims on unique values are missing from the vault, which shows that the
// vault was lost or is older than the facts.
import { Claims } from '../commands/claims.js';
import { Streams } from '../commands/streams.js';
import { fold } from '../domain/decider.js';
import type { UniqueValue } from '../domain/unique.js';
import type { User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import type { AllStores } from '../infrastructure/stores.js';
import { Tally } from '../infrastructure/tally.js';
import type { Examined } from './examined.js';

/** A user up to the last event taken. */
export class SurveyedUser {
  readonly id: string;
  state: User = user.initialState;
  /** Whether the first event has sealed fields, which means that the person had a key. */
  beginsSealed = false;
  /** False if the person's key was needed but is missing. */
  hasKey = true;
  /** Whether the state is complete: every event could be read and interpreted. */
  isReadable = true;

  constructor(id: string) {
    this.id = id;
  }

  /** Takes the next event. `isNext` is whether no event is missing before it. */
  take({ event, isSealed, hasKey, sealFault, isLater, misfit }: Examined, isNext: boolean): void {
    if (event.revision === 0) this.beginsSealed = isSealed;
    this.hasKey &&= hasKey;
    this.isReadable &&= isNext && hasKey && sealFault === undefined && !isLater;
    if (isLater || misfit !== undefined) return;
    this.state = fold(user, this.state, event, { id: this.id, at: event.metadata.at });
  }
}

/** The findings about users. */
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

const BATCH = 250;

/** Looks up the keys and the claims of users. */
export const surveyUsers = async (
  stores: Pick<AllStores, 'facts' | 'vault' | 'serviceKey'>,
  users: readonly SurveyedUser[],
): Promise<UserFindings> => {
  const [keyless, unclaimed, unreadable] = [new Tally(), new Tally(), new Tally()];
  const unclaimedAmong = await unclaimedFinder(stores);
  let claimants = 0;
  for (let from = 0; from < users.length; from += BATCH) {
    const [readable, others] = split(users.slice(from, from + BATCH));
    claimants += readable.filter((each) => valuesOf(each).length > 0).length;
    // The service may be running, so the survey may be outdated. The current streams decide.
    const suspects = await currentOf(stores, [...(await unclaimedAmong(readable)), ...others]);
    const [claiming, notReadable] = split(suspects);
    keyless.add(...notReadable.filter(({ beginsSealed, hasKey }) => beginsSealed && !hasKey).map(idOf));
    unreadable.add(...notReadable.map(idOf));
    unclaimed.add(...(await unclaimedAmong(claiming)).map(idOf));
  }
  const persons = users.filter(({ beginsSealed }) => beginsSealed).length;
  return { persons, claimants, keyless, unclaimed, unreadable };
};

type Fields = Omit<SurveyedUser, 'take'>;

const idOf = ({ id }: Fields): string => id;
const valuesOf = ({ state }: Fields): readonly UniqueValue[] => user.unique?.values(state) ?? [];

/** Returns the users who were not erased: first those whose state is complete, then all others. */
const split = (users: readonly Fields[]): readonly [readonly Fields[], readonly Fields[]] => {
  const held = users.filter(({ state }) => state.status !== 'erased');
  return [held.filter(({ isReadable }) => isReadable), held.filter(({ isReadable }) => !isReadable)];
};

/** Returns users with their states as their streams are now. */
const currentOf = ({ facts }: Pick<AllStores, 'facts'>, users: readonly Fields[]): Promise<readonly Fields[]> => {
  const streams = new Streams(facts);
  return Promise.all(users.map(async (each) => ({ ...each, state: await stateOf(streams, each.id) })));
};

const stateOf = (streams: Streams, id: string): Promise<User> =>
  streams.load(user, id).then(
    ({ state }) => state,
    (error: unknown) => {
      // Every request that needs the stream reports it.
      if (error instanceof StreamTruncated) return user.initialState;
      throw error;
    },
  );

/** Returns a function that finds the users who lack the claim of one of their values. */
const unclaimedFinder = async ({ vault, serviceKey }: Pick<AllStores, 'vault' | 'serviceKey'>) => {
  // Without the key of claims, nothing was ever claimed. This check must not create the key.
  const hasClaims = (await vault.get({ kind: 'service-key', key: 'claims' })) !== undefined;
  const claims = new Claims(vault, () => serviceKey('claims'));
  return async (users: readonly Fields[]): Promise<readonly Fields[]> => {
    const values = users.flatMap((owner) => valuesOf(owner).map((value) => ({ ...value, owner })));
    const claimants = hasClaims ? await claims.claimants(values) : [];
    return [...new Set(values.filter(({ owner }, index) => claimants[index] !== owner.id).map(({ owner }) => owner))];
  };
};
