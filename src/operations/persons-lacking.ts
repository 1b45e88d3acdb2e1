// Finds users in the log whose key or whose claims on unique values are missing from the vault.
import { Claims } from '../commands/claims.js';
import { type Loaded, Streams } from '../commands/streams.js';
import type { User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import type { Survey, SurveyedStores } from './survey.js';
import type { SurveyedStream } from './surveyed-stream.js';

const BATCH = 250;
const CLAIMS_KEY = { kind: 'service-key', key: 'claims' };

/** Adds the users of these streams who have no key, lack a claim, or cannot be checked, to a survey. */
export const surveyPersons = async (
  stores: SurveyedStores,
  streams: Iterable<SurveyedStream>,
  survey: Survey,
): Promise<void> => {
  const users = [...streams].filter((stream) => stream.user !== undefined);
  survey.persons += users.filter(({ beginsSealed }) => beginsSealed).length;
  const findUnclaimed = await unclaimedFinder(stores);
  for (let from = 0; from < users.length; from += BATCH) {
    await checkBatch(stores, findUnclaimed, users.slice(from, from + BATCH), survey);
  }
};

type FindUnclaimed = (users: readonly Claimant[]) => Promise<ReadonlySet<string>>;

interface Claimant {
  readonly id: string;
  readonly values: ReturnType<typeof valuesOf>;
}

const checkBatch = async (
  stores: SurveyedStores,
  findUnclaimed: FindUnclaimed,
  users: readonly SurveyedStream[],
  survey: Survey,
): Promise<void> => {
  const notErased = users.filter((each) => each.user?.status !== 'erased');
  const claimants = notErased.filter((each) => each.isReadable).map(claimantOf);
  const unclaimed = await findUnclaimed(claimants);
  survey.claimants += claimants.filter(({ values }) => values.length > 0).length;
  const suspects = notErased.filter((each) => !each.isReadable || unclaimed.has(each.id));
  if (suspects.length === 0) return;
  // The service may be running, so the survey may be outdated. The current streams decide.
  const streams = new Streams(stores.facts);
  const current = new Map(await Promise.all(suspects.map(async ({ id }) => [id, await stateOf(streams, id)] as const)));
  const remaining = suspects.filter(({ id }) => current.get(id)?.status !== 'erased');
  for (const { id, isReadable, hasKey, beginsSealed } of remaining) {
    if (beginsSealed && !hasKey) survey.keyless.add(id);
    if (!isReadable) survey.unreadable.add(id);
  }
  const claimantsNow = remaining.flatMap(({ id, isReadable }) =>
    isReadable ? [{ id, values: valuesOf(current.get(id)) }] : [],
  );
  for (const id of await findUnclaimed(claimantsNow)) survey.unclaimed.add(id);
};

const claimantOf = ({ id, user: state }: SurveyedStream): Claimant => ({ id, values: valuesOf(state) });

const valuesOf = (state: User | undefined) => (state === undefined ? [] : (user.unique?.values(state) ?? []));

const stateOf = (streams: Streams, id: string): Promise<User | undefined> =>
  streams.load(user, id).then(
    ({ state }: Loaded<User>) => state,
    (error: unknown) => {
      // Every request that needs the stream reports it.
      if (error instanceof StreamTruncated) return undefined;
      throw error;
    },
  );

/** Returns a function that finds the users who lack the claim of one of their values. */
const unclaimedFinder = async ({ vault, serviceKey }: SurveyedStores): Promise<FindUnclaimed> => {
  // Without the key of claims, nothing was ever claimed. This check must not create the key.
  if ((await vault.get(CLAIMS_KEY)) === undefined) return async (users) => new Set(users.filter(hasValues).map(idOf));
  const claims = new Claims(vault, () => serviceKey(CLAIMS_KEY.key));
  return async (users) => {
    const values = users.flatMap(({ id, values: held }) => held.map((value) => ({ ...value, id })));
    const owners = await claims.claimants(values);
    return new Set(values.filter(({ id }, index) => owners[index] !== id).map(idOf));
  };
};

const hasValues = ({ values }: Claimant): boolean => values.length > 0;
const idOf = ({ id }: { readonly id: string }): string => id;
