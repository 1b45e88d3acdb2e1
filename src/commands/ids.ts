// The ids that a command creates: UUIDs v7 (RFC 9562). Under an idempotency key they are derived from a stored seed. If
// the same command is retried after a crash, it creates the same ids, and its append is recognised as the same append.
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { randomPiece } from '../infrastructure/random.js';

/** The seed of a command's ids: 16 random bytes in hex, and epoch milliseconds. */
export interface Seed {
  readonly random: string;
  readonly at: number;
}

/** The ids of one command. Each call with the same argument returns the same id. */
export interface CommandIds {
  readonly aggregateId: () => string;
  readonly eventId: (index: number) => string;
  /** Returns a new sequence of ids for one decision. A repeated decision gets the same sequence from its start. */
  readonly newIds: () => () => string;
  /** Returns the ids of one part of a request that commands several aggregates. The same name has the same ids. */
  readonly part: (name: string) => CommandIds;
}

// A UUID with random bytes of its own takes eight times as long.
const POOLED = { rng: () => randomPiece(16) };

/** Returns a new UUID v7. Ids of the same millisecond have no order. */
export const newUuid = (): string => v7(POOLED);

/** Returns the ids of a command that nobody can retry. */
export const randomIds = (): CommandIds => ({
  ...seededIds({ random: randomPiece(16).toString('hex'), at: Date.now() }),
  // A large form needs hundreds of ids, and deriving one takes longer than making one.
  newIds: () => newUuid,
});

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
