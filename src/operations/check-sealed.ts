// Finds personal fields in the log that cannot be believed: they do not open, were removed, or were never sealed.
import type { KeyObject } from 'node:crypto';
import { allDeciders, allPersonalPaths } from '../domain/all.js';
import type { userEvents } from '../domain/user/events.js';
import { user } from '../domain/user/user.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import { type EventMetadata, type Facts, logPages, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { openedAddress } from '../infrastructure/sealing/address.js';
import {
  isPersonal,
  isSealed,
  type SealFault,
  unsealed,
  visibleFault,
  withoutPersonal,
} from '../infrastructure/sealing/payload.js';
import { aggregateIdOf, streamName } from '../infrastructure/stream-name.js';
import { type Check, type CheckedStoresOfPersons, firstOf, type Result } from './check.js';

const aggregates = allDeciders
  .filter(({ events }) => Object.keys(events).some((type) => allPersonalPaths.has(type)))
  .map(({ aggregate }) => aggregate);

const RESTORE =
  'stop the service, restore the facts from a backup in which these events are whole, and rebuild the read model ' +
  '`users`; if there is no such backup, erase the person: until then nothing is recorded of them';

type Stores = Pick<CheckedStoresOfPersons, 'sealedFacts' | 'keyring'>;

/** Every personal field must be sealed, and must open if the key of the person exists. */
export const personalFieldsSealed = {
  name: 'sealed',
  run: async (stores: Stores): Promise<Result> => {
    const faults: string[] = [];
    let events = 0;
    for await (const page of logPages(stores.sealedFacts, { aggregates, after: undefined })) {
      const personal = page.events.filter(({ type }) => allPersonalPaths.has(type));
      events += personal.length;
      faults.push(...(await faultsIn(personal, stores)));
    }
    if (faults.length === 0) return { ok: true, said: `${events} events with personal fields, none altered` };
    const said = `${faults.length} of ${events} events with personal fields were altered: ${firstOf(faults, '; ')}`;
    return { ok: false, said, next: RESTORE };
  },
} satisfies Check<CheckedStoresOfPersons>;

/** Returns what is wrong with the events. The check `keys` reports persons without a key. */
const faultsIn = async (events: readonly RecordedEvent[], { sealedFacts, keyring }: Stores) => {
  const actors = new Set(events.flatMap(({ metadata }) => (hasAddress(metadata) ? [metadata.actor.id] : [])));
  const keys = await keyring.ofPersons([...new Set([...events.map(({ stream }) => aggregateIdOf(stream)), ...actors])]);
  const strangers = await strangersAmong(
    [...actors].filter((actor) => !keys.has(actor)),
    sealedFacts,
  );
  return events.flatMap((event) => {
    const { stream, revision, id, metadata } = event;
    const isByStranger = hasAddress(metadata) && strangers.has(metadata.actor.id);
    const byActor = isByStranger ? 'its actor was never a user' : addressFault(event, keys.get(metadata.actor.id));
    const fault = faultOf(event, keys.get(aggregateIdOf(stream))) ?? byActor;
    return fault === undefined ? [] : [`${stream}, revision ${revision}, event ${id}: ${fault}`];
  });
};

const hasAddress = ({ sealedAddress }: EventMetadata): boolean => sealedAddress !== undefined;

/** Returns the actors who were never registered. Nobody else decides without a key but a person who was erased. */
const strangersAmong = async (actors: readonly string[], facts: Facts): Promise<ReadonlySet<string>> => {
  const strangers = new Set<string>();
  for (const actor of actors) if (!(await exists(facts, streamName(user.aggregate, actor)))) strangers.add(actor);
  return strangers;
};

const exists = async (facts: Facts, stream: string): Promise<boolean> => {
  try {
    for await (const _ of facts.readStream(stream)) return true;
    return false;
  } catch (error) {
    // The check `streams` reports it.
    if (error instanceof StreamTruncated) return true;
    throw error;
  }
};

const faultOf = (event: RecordedEvent, key: KeyObject | undefined): string | undefined => {
  const { type, data } = event;
  if (ALWAYS_PERSONAL.has(type) && !isSealed(data)) return 'its sealed fields were removed, or it was never sealed';
  const paths = allPersonalPaths.get(type) ?? [];
  if (!isPersonal(data, paths)) return undefined;
  const opened = key === undefined ? visibleFault(data, paths) : unsealed(data, key, event, paths);
  return typeof opened === 'string' ? FAULTS[opened] : undefined;
};

/** Returns what is wrong with the address of a decision. Without the key of the actor, nothing can be told. */
const addressFault = (event: RecordedEvent, key: KeyObject | undefined): string | undefined => {
  if (!hasAddress(event.metadata) || key === undefined) return undefined;
  const paths = allPersonalPaths.get(event.type) ?? [];
  const data = isPersonal(event.data, paths) ? withoutPersonal(event.data, paths) : event.data;
  return openedAddress({ ...event, data }, key) === undefined ? 'its address does not open' : undefined;
};

// Nobody is registered without a name, and no phone or sign-in address is changed to none, so these events always have something sealed.
const ALWAYS_PERSONAL: ReadonlySet<string> = new Set<keyof typeof userEvents>([
  'UserRegistered',
  'UserPhoneChanged',
  'UserSignInEmailChanged',
]);

const FAULTS: Readonly<Record<SealFault, string>> = {
  plain: 'has a personal field that is not sealed',
  removed: 'its sealed fields were removed',
  damaged: 'its personal fields do not open',
  'unknown-version': 'its personal fields are sealed in a form that this version does not know',
};
