// The ids that one command makes: UUIDs v7 (RFC 9562). Under an idempotency key they follow from a stored seed, so that
// the same command, tried again after a crash, makes the same ids and its append is recognised as the same append.
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { newUuid } from './uuid.js';

/** What the ids of a command follow from: 16 random bytes in hex, and epoch milliseconds. */
export interface Seed {
  readonly random: string;
  readonly at: number;
}

/** The ids of one command; each call with the same argument gives the same id. */
export interface CommandIds {
  readonly aggregateId: () => string;
  readonly eventId: (index: number) => string;
  /** A new sequence of ids for one decision. A repeated decision gets the same sequence from its start. */
  readonly newIds: () => () => string;
  /** The ids of one part of a request that commands several aggregates; the same name, the same ids. */
  readonly part: (name: string) => CommandIds;
}

/** Ids that nothing repeats. */
export const randomIds = (): CommandIds => {
  const eventIds: string[] = [];
  const parts = new Map<string, CommandIds>();
  const aggregateId = newUuid();
  return {
    aggregateId: () => aggregateId,
    eventId: (index) => {
      eventIds[index] ??= newUuid();
      return eventIds[index];
    },
    newIds: () => newUuid,
    part: (name) => {
      const part = parts.get(name) ?? randomIds();
      parts.set(name, part);
      return part;
    },
  };
};

/** Ids that follow from a seed. */
export const seededIds = ({ random, at }: Seed, part = ''): CommandIds => {
  const id = (use: string) => {
    const hash = createHash('sha256').update(`${random} ${part}${use}`).digest();
    return v7({ msecs: at, random: hash.subarray(0, 16), seq: hash.readUInt32BE(16) });
  };
  return {
    aggregateId: () => id('aggregate'),
    eventId: (index) => id(`event ${index}`),
    newIds: () => {
      let count = 0;
      return () => {
        count += 1;
        return id(`item ${count}`);
      };
    },
    part: (name) => seededIds({ random, at }, `${part}part ${name} `),
  };
};
