// Finds personal fields in the log that cannot be believed: they do not open, were removed, or were never sealed.
import type { KeyObject } from 'node:crypto';
import { allDeciders, allPersonalPaths } from '../domain/all.js';
import type { userEvents } from '../domain/user/events.js';
import { logPages, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { openedAddress } from '../infrastructure/sealing/address.js';
import type { Keyring } from '../infrastructure/sealing/keyring.js';
import {
  isPersonal,
  isSealed,
  type SealFault,
  unsealed,
  visibleFault,
  withoutPersonal,
} from '../infrastructure/sealing/payload.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { type Check, type CheckedStoresOfPersons, firstOf, type Result } from './check.js';

const aggregates = allDeciders
  .filter(({ events }) => Object.keys(events).some((type) => allPersonalPaths.has(type)))
  .map(({ aggregate }) => aggregate);

const RESTORE =
  'stop the service, restore the facts from a backup in which these events are whole, and rebuild the read model ' +
  '`users`; if there is no such backup, erase the person: until then nothing is recorded of them';

/** Every personal field must be sealed, and must open if the key of the person exists. */
export const personalFieldsSealed = {
  name: 'sealed',
  run: async ({ sealedFacts, keyring }: Pick<CheckedStoresOfPersons, 'sealedFacts' | 'keyring'>): Promise<Result> => {
    const faults: string[] = [];
    let events = 0;
    for await (const page of logPages(sealedFacts, { aggregates, after: undefined })) {
      const personal = page.events.filter(({ type }) => allPersonalPaths.has(type));
      events += personal.length;
      faults.push(...(await faultsIn(personal, keyring)));
    }
    if (faults.length === 0) return { ok: true, said: `${events} events with personal fields, none altered` };
    const said = `${faults.length} of ${events} events with personal fields were altered: ${firstOf(faults, '; ')}`;
    return { ok: false, said, next: RESTORE };
  },
} satisfies Check<CheckedStoresOfPersons>;

/** Returns what is wrong with the events. The check `keys` reports persons without a key. */
const faultsIn = async (events: readonly RecordedEvent[], keyring: Keyring): Promise<readonly string[]> => {
  const persons = events.flatMap(({ stream, metadata }) => [
    aggregateIdOf(stream),
    ...(metadata.sealedAddress === undefined ? [] : [metadata.actor.id]),
  ]);
  const keys = await keyring.ofPersons([...new Set(persons)]);
  return events.flatMap((event) => {
    const { stream, revision, id, metadata } = event;
    const fault = faultOf(event, keys.get(aggregateIdOf(stream))) ?? addressFault(event, keys.get(metadata.actor.id));
    return fault === undefined ? [] : [`${stream}, revision ${revision}, event ${id}: ${fault}`];
  });
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
  if (event.metadata.sealedAddress === undefined || key === undefined) return undefined;
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
