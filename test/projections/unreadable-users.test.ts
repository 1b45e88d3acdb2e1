import { describe, expect, it } from 'vitest';
import { personalPathsOf } from '../../src/domain/personal.js';
import { userEvents } from '../../src/domain/user/events.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { ListQuery } from '../../src/infrastructure/views/views.js';
import { applied, type Working } from '../../src/projections/projection.js';
import { type Unreadable, unreadableUsers, unreadableUsersCollection } from '../../src/projections/unreadable-users.js';
import { uuidOf } from '../support/specification.js';
import { recorded } from './support/recorded.js';

const event = (n: number, type: string, flaw?: RecordedEvent['flaw']): RecordedEvent => ({
  ...recorded(n, { type, data: {} }, { aggregate: 'user', id: uuidOf(1) }),
  ...(flaw !== undefined && { flaw }),
});
const unreadable = { kind: 'unreadable' } as const;

const folded = (...events: readonly RecordedEvent[]) =>
  events.reduce<Working | undefined>((was, each) => applied(unreadableUsersCollection, was, each, uuidOf(1)), undefined)
    ?.document;

describe('the users whose personal fields cannot be decrypted', () => {
  it('are found through every type of event with personal fields', () => {
    const types = [...personalPathsOf(userEvents).keys()];
    expect(types.length).toBeGreaterThan(0);
    for (const type of types)
      expect(folded(event(1, type, unreadable))).toEqual({ userId: uuidOf(1), state: 'unreadable' });
  });

  it('do not include users whose events open', () => {
    expect(folded(event(1, 'UserRegistered'), event(2, 'UserErased'))).toBeUndefined();
  });

  it('stay listed after an event that opens, until they are erased', () => {
    const events = [event(1, 'UserRegistered', unreadable), event(2, 'UserRevised')];
    expect(folded(...events)).toMatchObject({ state: 'unreadable' });
    expect(folded(...events, event(3, 'UserErased'))).toMatchObject({ state: 'erased' });
  });
});

describe('the fault that some personal fields cannot be opened', () => {
  /** Returns the codes of the faults of a read model with so many such users, and what it was asked for. */
  const faultsWith = async (count: number) => {
    const asked: ListQuery[] = [];
    const list = async (query: ListQuery) => {
      asked.push(query);
      return { json: '', places: Array.from({ length: Math.min(count, query.limit) }, String), next: undefined };
    };
    const faults = await unreadableUsers({ list })();
    return { asked, codes: faults.map(({ code }) => code), details: faults.map(({ detail }) => detail).join() };
  };

  it('is reported while there is such a user', async () => {
    const { asked, codes } = await faultsWith(1);
    expect(codes).toEqual(['personal-fields-unreadable']);
    const where: Partial<Unreadable> = { state: 'unreadable' };
    expect(asked).toMatchObject([{ collection: unreadableUsersCollection.name, where, after: undefined }]);
    expect((await faultsWith(0)).codes).toEqual([]);
  });

  it('counts no further than a hundred users', async () => {
    const [hundred, more, many] = [await faultsWith(100), await faultsWith(101), await faultsWith(9_999)];
    expect(more.details).not.toBe(hundred.details);
    expect(many.details).toBe(more.details);
  });

  it('is not reported while the read models are unavailable, but any other error is', async () => {
    const failing = (error: Error) => unreadableUsers({ list: async () => Promise.reject(error) });
    expect(await failing(new StoreUnavailable('the read models', 'down'))()).toEqual([]);
    await expect(failing(new RangeError())()).rejects.toThrow(RangeError);
  });
});
