// Finds personal fields in the log that cannot be believed: they do not open, were removed, or were never sealed.
import type { KeyObject } from 'node:crypto';
import { allPersonalPaths, allUpcasters } from '../domain/all.js';
import type { userEvents } from '../domain/user/events.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { upcast } from '../infrastructure/facts/upcast.js';
import { openedAddress } from '../infrastructure/sealing/address.js';
import {
  isPersonal,
  isSealed,
  type SealFault,
  unsealed,
  visibleFault,
  withoutPersonal,
} from '../infrastructure/sealing/payload.js';
import type { Payload } from '../infrastructure/sealing/personal-values.js';
import type { Check } from './check.js';

const RESTORE =
  'stop the service, restore the facts from a backup in which these events are whole, and rebuild the read model ' +
  '`users`; if there is no such backup, erase the person: until then nothing is recorded of them';

/** Every personal field must be sealed, and must open if the key of the person exists. */
export const personalFieldsSealed: Check = {
  name: 'sealed',
  run: async (_, survey) => {
    const { personalEvents, altered } = await survey();
    if (altered.count === 0) return { ok: true, said: `${personalEvents} events with personal fields, none altered` };
    const said = `${altered.count} of ${personalEvents} events with personal fields were altered: ${altered.firstOf('; ')}`;
    return { ok: false, said, next: RESTORE };
  },
};

/** An event as the service reads it, and what its personal fields are like. */
export interface Examined {
  /** Personal fields are null if they cannot be believed, or if their person has no key. */
  readonly event: RecordedEvent;
  /** Whether events of this type have personal fields. */
  readonly isPersonal: boolean;
  /** Whether something is sealed in the event as it is stored. */
  readonly isSealed: boolean;
  /** False if the event has personal fields and their person has no key. */
  readonly hasKey: boolean;
  /** Why the personal fields cannot be believed; undefined if they can. */
  readonly fault: string | undefined;
}

/** The keys that an event is examined with; undefined if there is none. */
export interface KeysOfEvent {
  /** The key of the person that the event is about. */
  readonly person: KeyObject | undefined;
  /** The key of whoever caused it. */
  readonly actor: KeyObject | undefined;
}

/** Examines an event as it is stored, and opens it. The check `keys` reports missing keys. */
export const examined = (stored: RecordedEvent, { person, actor }: KeysOfEvent): Examined => {
  const found = examinedFields(stored, person);
  return { ...found, fault: found.fault ?? addressFault(stored, actor) };
};

const examinedFields = (stored: RecordedEvent, key: KeyObject | undefined): Examined => {
  const { type, data } = stored;
  const paths = allPersonalPaths.get(type);
  const as = (read: unknown, fault?: string) => ({
    event: upcast({ ...stored, data: read }, allUpcasters),
    isPersonal: paths !== undefined,
    isSealed: isSealed(data),
    hasKey: true,
    fault,
  });
  const isBare =
    ALWAYS_PERSONAL.has(type) && !isSealed(data) ? 'its sealed fields were removed, or it was never sealed' : undefined;
  if (paths === undefined || !isPersonal(data, paths)) return as(data, isBare);
  const opened: Payload | SealFault | undefined =
    key === undefined ? visibleFault(data, paths) : unsealed(data, key, stored, paths);
  if (typeof opened === 'object') return as(opened, isBare);
  const fault = isBare ?? (opened && FAULTS[opened]);
  return { ...as(withoutPersonal(data, paths), fault), hasKey: key !== undefined };
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
