// Finds personal fields in the log that cannot be trusted: they cannot be opened, were removed, or were never sealed.
import type { KeyObject } from 'node:crypto';
import { allPersonalPaths, allUpcasters } from '../domain/all.js';
import type { userEvents } from '../domain/user/events.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { upcast } from '../infrastructure/facts/upcast.js';
import { openedAddress } from '../infrastructure/sealing/address.js';
import {
  isPersonal,
  isSealed,
  openPayload,
  type SealFault,
  visibleFault,
  withoutPersonal,
} from '../infrastructure/sealing/payload.js';
import type { Payload } from '../infrastructure/sealing/personal-values.js';
import type { Check } from './check.js';

const RESTORE =
  'stop the service, restore the facts from a backup in which these events are intact, and rebuild the read model ' +
  '`users`; if there is no such backup, erase the person: until then, commands on the person are rejected';

/** Checks that every personal field is sealed, and can be opened if the person has a key. */
export const personalFieldsSealed: Check = {
  name: 'sealed',
  run: async (_, survey) => {
    const { personalEvents, altered } = await survey();
    if (altered.count === 0)
      return { ok: true, summary: `${personalEvents} events with personal fields, none altered` };
    const summary = `${altered.count} of ${personalEvents} events with personal fields were altered: ${altered.firstOf('; ')}`;
    return { ok: false, summary, next: RESTORE };
  },
};

/** An event as the service reads it, and the condition of its personal fields. */
export interface Examined {
  /** The event. Its personal fields are null if they cannot be trusted, or if the person has no key. */
  readonly event: RecordedEvent;
  /** Whether events of this type have personal fields. */
  readonly isPersonal: boolean;
  /** Whether the stored event has sealed fields. */
  readonly isSealed: boolean;
  /** False if the event has personal fields and the person has no key. */
  readonly hasKey: boolean;
  /** Why the personal fields cannot be trusted; undefined if they can. */
  readonly fault: string | undefined;
}

/** The keys for examining an event; undefined if a key does not exist. */
export interface KeysOfEvent {
  /** The key of the person that the event is about. */
  readonly person: KeyObject | undefined;
  /** The key of the actor. */
  readonly actor: KeyObject | undefined;
  /** Whether the actor was never registered as a user. */
  readonly isActorUnknown: boolean;
}

/** Examines a stored event and opens it. A missing key is not a fault, because the check `keys` reports it. */
export const examined = (stored: RecordedEvent, { person, actor, isActorUnknown }: KeysOfEvent): Examined => {
  const found = examinedFields(stored, person);
  const actorFault = isActorUnknown ? 'its actor was never registered' : addressFault(stored, actor);
  return { ...found, fault: found.fault ?? actorFault };
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
  const unsealedFault =
    ALWAYS_PERSONAL.has(type) && !isSealed(data) ? 'its sealed fields were removed, or it was never sealed' : undefined;
  if (paths === undefined || !isPersonal(data, paths)) return as(data, unsealedFault);
  const opened: Payload | SealFault | undefined =
    key === undefined ? visibleFault(data, paths) : openPayload(data, key, stored, paths);
  if (typeof opened === 'object') return as(opened, unsealedFault);
  const fault = unsealedFault ?? (opened && FAULTS[opened]);
  return { ...as(withoutPersonal(data, paths), fault), hasKey: key !== undefined };
};

/** Returns the fault of the address of a decision; undefined if there is none, or the actor's key does not exist. */
const addressFault = (event: RecordedEvent, key: KeyObject | undefined): string | undefined => {
  if (event.metadata.sealedAddress === undefined || key === undefined) return undefined;
  const paths = allPersonalPaths.get(event.type) ?? [];
  const data = isPersonal(event.data, paths) ? withoutPersonal(event.data, paths) : event.data;
  return openedAddress({ ...event, data }, key) === undefined ? 'its address cannot be opened' : undefined;
};

// These events always have sealed fields: users have names, and a phone or sign-in address is never changed to null.
const ALWAYS_PERSONAL: ReadonlySet<string> = new Set<keyof typeof userEvents>([
  'UserRegistered',
  'UserPhoneChanged',
  'UserSignInEmailChanged',
]);

const FAULTS: Readonly<Record<SealFault, string>> = {
  plain: 'has a personal field that is not sealed',
  removed: 'its sealed fields were removed',
  damaged: 'its personal fields cannot be opened',
  'unknown-version': 'its personal fields are sealed in a format that this version does not know',
};
