// Lists every aggregate.
import { auditLog } from './audit-log.js';
import { auditRead } from './audit-read.js';
import { type Upcaster, upcastersOf } from './decider.js';
import { institution } from './institution.js';
import { type PersonalPath, personalPathsOf } from './personal.js';
import { protocol } from './protocol/decide.js';
import { securityLog } from './security-log.js';
import { specialty } from './specialty.js';
import { user } from './user/user.js';

export const allDeciders = [auditLog, auditRead, institution, protocol, securityLog, specialty, user] as const;

export const aggregates: readonly string[] = allDeciders.map(({ aggregate }) => aggregate);

export const allPersonalPaths: ReadonlyMap<string, readonly PersonalPath[]> = new Map(
  allDeciders.flatMap(({ events }) => [...personalPathsOf(events)]),
);

export const allUpcasters: ReadonlyMap<string, readonly Upcaster<unknown>[]> = new Map(
  allDeciders.flatMap((decider) => Object.keys(decider.events).map((type) => [type, upcastersOf(decider, type)])),
);
