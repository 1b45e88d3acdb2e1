import { describe, expect, it } from 'vitest';
import { personalPathsOf } from '../../src/domain/personal.js';
import { userEvents } from '../../src/domain/user/events.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { applied, type Working } from '../../src/projections/projection.js';
import { unreadableUsersCollection } from '../../src/projections/unreadable-users.js';
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
