// Examines an event of the log: whether its personal fields can be trusted, and whether its type and shape are known.
import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import { allDeciders, allPersonalPaths, allUpcasters } from '../domain/all.js';
import type { Schemas } from '../domain/decider.js';
import { consequencesOf } from '../domain/user/consequences.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { upcast } from '../infrastructure/facts/upcast.js';
import { openedAddress } from '../infrastructure/persons/address.js';
import {
  isPersonal,
  isSealed,
  openPayload,
  type SealFault,
  visibleFault,
  withoutPersonal,
} from '../infrastructure/persons/payload.js';
import type { Payload } from '../infrastructure/persons/personal-values.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';

/** Keys by person; a person without a key is missing. */
type Keys = ReadonlyMap<string, KeyObject>;

export interface Examined {
  /** The event as the service reads it. Fields that cannot be trusted, or whose person has no key, are null. */
  readonly event: RecordedEvent;
  /** Whether events of this type have personal fields. */
  readonly isPersonal: boolean;
  readonly isSealed: boolean;
  /** False if the event has personal fields and the person has no key. */
  readonly hasKey: boolean;
  /** Why the personal fields cannot be trusted; undefined if they can. */
  readonly sealFault: string | undefined;
  /** Whether a newer program recorded the event. This program must not interpret the event. */
  readonly isLater: boolean;
  /** Why no decision of this program can have recorded the event; undefined if one can, or a newer program did. */
  readonly misfit: string | undefined;
}

/** Returns the persons whose keys are needed to examine an event. */
export const personsIn = ({ type, stream, metadata }: RecordedEvent): readonly string[] => [
  ...(allPersonalPaths.has(type) ? [aggregateIdOf(stream)] : []),
  ...(metadata.sealedAddress === undefined ? [] : [metadata.actor.id]),
];

/**
 * Examines a stored event and opens it. A missing key is not a fault, because the check `keys` reports it. `isNewer` is
 * whether a newer program has used the stores.
 */
export const examined = (stored: RecordedEvent, keys: Keys, isNewer: boolean): Examined => {
  const fields = examinedFields(stored, keys.get(aggregateIdOf(stored.stream)));
  const sealFault = fields.sealFault ?? addressFault(stored, keys.get(stored.metadata.actor.id));
  const { event } = fields;
  const isLater = isNewer && (!allUpcasters.has(event.type) || event.flaw?.kind === 'too-new');
  return { ...fields, sealFault, isLater, misfit: isLater ? undefined : misfitOf(event) };
};

const examinedFields = (stored: RecordedEvent, key: KeyObject | undefined): Omit<Examined, 'isLater' | 'misfit'> => {
  const { type, data } = stored;
  const paths = allPersonalPaths.get(type);
  const as = (read: unknown, sealFault?: string) => ({
    event: upcast({ ...stored, data: read }, allUpcasters),
    isPersonal: paths !== undefined,
    isSealed: isSealed(data),
    hasKey: true,
    sealFault,
  });
  const isUnsealed = consequencesOf(type)?.isAlwaysSealed === true && !isSealed(data);
  const unsealedFault = isUnsealed ? 'its sealed fields were removed, or it was never sealed' : undefined;
  if (paths === undefined || !isPersonal(data, paths)) return as(data, unsealedFault);
  const opened: Payload | SealFault | undefined =
    key === undefined ? visibleFault(data, paths) : openPayload(data, key, stored, paths);
  if (typeof opened === 'object') return as(opened, unsealedFault);
  const sealFault = unsealedFault ?? (opened && SEAL_FAULTS[opened]);
  return { ...as(withoutPersonal(data, paths), sealFault), hasKey: key !== undefined };
};

const SEAL_FAULTS: Readonly<Record<SealFault, string>> = {
  plain: 'has a personal field that is not sealed',
  removed: 'its sealed fields were removed',
  damaged: 'its personal fields cannot be opened',
  'unknown-version': 'its personal fields are sealed in a format that this version does not know',
};

/** Returns the fault of the address of a decision; undefined if there is none, or the actor's key does not exist. */
const addressFault = (event: RecordedEvent, key: KeyObject | undefined): string | undefined => {
  if (event.metadata.sealedAddress === undefined || key === undefined) return undefined;
  const paths = allPersonalPaths.get(event.type) ?? [];
  const data = isPersonal(event.data, paths) ? withoutPersonal(event.data, paths) : event.data;
  return openedAddress({ ...event, data }, key) === undefined ? 'its address cannot be opened' : undefined;
};

const EVENTS: ReadonlyMap<string, Schemas> = new Map(allDeciders.map(({ aggregate, events }) => [aggregate, events]));

/** Returns why no decision of this program can have recorded an event; undefined if one can. */
export const misfitOf = ({ stream, type, data, flaw }: RecordedEvent): string | undefined => {
  const aggregate = aggregateOf(stream);
  const events = EVENTS.get(aggregate) ?? {};
  const schema = Object.hasOwn(events, type) ? events[type] : undefined;
  if (schema === undefined) return `${aggregate} has no event of type ${type}`;
  if (flaw?.kind === 'too-new') return `${flaw.what} does not exist`;
  const issues = schema.safeParse(data).error?.issues ?? [];
  return issues.some(({ code }) => SHAPE_ISSUES.has(code)) ? `its payload is not a payload of ${type}` : undefined;
};

// Only the shape is checked, because it has a version. Limits and formats may have been different at the time.
const SHAPE_ISSUES: ReadonlySet<string> = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_value']);
