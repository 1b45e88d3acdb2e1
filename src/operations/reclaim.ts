// Claims the unique values whose comparison has changed since they were recorded. Otherwise another aggregate could take
// a value that now equals an old one.
import { Claims } from '../commands/claims.js';
import { Streams } from '../commands/streams.js';
import { claimOwn, type Guarded } from '../commands/uniqueness.js';
import { type SpecialtyFields, specialty, uniqueValuesOfSpecialty } from '../domain/specialty.js';
import type { UniqueValue } from '../domain/unique.js';
import type { UserFields } from '../domain/user/state.js';
import { uniqueValuesOfUser, user } from '../domain/user/user.js';
import type { AllStores } from '../infrastructure/stores.js';
import { documentPages } from '../infrastructure/views/views.js';
import type { Projection } from '../projections/projection.js';
import { specialties } from '../projections/specialties.js';
import { users } from '../projections/users.js';

type ReclaimStores = Pick<AllStores, 'facts' | 'vault' | 'serviceKey'> & {
  readonly views: Pick<AllStores['views'], 'walk' | 'checkpoints'>;
};

/**
 * Claims the values in the read models of users and specialties that nothing claims. Rejects if `signal` aborts, and
 * while one of the read models is behind the log.
 */
export const reclaim = async (stores: ReclaimStores, signal: AbortSignal): Promise<void> => {
  const streams = new Streams(stores.facts);
  const claims = new Claims(stores.vault, () => stores.serviceKey('claims'));
  const claimAll = async <S>(
    { name }: Projection,
    decider: Guarded<S>,
    valuesIn: (body: string) => readonly UniqueValue[],
  ) => {
    for await (const documents of documentPages(stores.views, name, signal)) {
      const held = documents.flatMap(({ id, body }) => valuesIn(body).map((value) => ({ id, value })));
      const claimants = await claims.claimants(held.map(({ value }) => value));
      const unclaimed = held.filter((_, at) => claimants[at] === undefined);
      for (const { id, value } of unclaimed) await claimOwn({ streams, claims }, decider, { id, values: [value] });
    }
  };
  for (const projection of [specialties, users]) await mustHaveCaughtUp(stores, projection);
  await claimAll(specialties, specialty, (body) => uniqueValuesOfSpecialty(JSON.parse(body) as SpecialtyFields));
  await claimAll(users, user, (body) => uniqueValuesOfUser(JSON.parse(body) as UserFields));
};

const mustHaveCaughtUp = async ({ facts, views }: ReclaimStores, { name, aggregates }: Projection): Promise<void> => {
  const checkpoints = await views.checkpoints();
  const after = checkpoints.find(({ projection, state }) => projection === name && state === 'live')?.position;
  const { events, atEnd } = await facts.readLog({ aggregates, after }, 1);
  if (events.length > 0 || !atEnd) throw new Error(`the read model ${name} is behind the log`);
};
