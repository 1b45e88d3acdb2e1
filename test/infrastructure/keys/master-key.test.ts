import { describe, expect, it } from 'vitest';
import { isMacOf, macOf, newMasterKey } from '../../../src/infrastructure/keys/master-key.js';

const key = newMasterKey();
const keys = { find: (id: string) => (id === key.id ? key : undefined) };

describe('the MAC of a value outside of the stores', () => {
  it('is that of the value, by a key that the operator has', () => {
    expect(isMacOf(keys, macOf(key, { id: 1 }), { id: 1 })).toBe(true);
  });

  it.each([
    ['of another value', macOf(key, { id: 2 })],
    ['by an unknown key', macOf(newMasterKey(), { id: 1 })],
    ['that is cut off', macOf(key, { id: 1 }).slice(0, -1)],
    ['that is empty', ''],
  ])('is not one %s', (_, mac) => {
    expect(isMacOf(keys, mac, { id: 1 })).toBe(false);
  });
});
