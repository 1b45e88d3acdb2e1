// The lists of approvals, and the profile on which an administrator goes on.
import { describe, expect, it } from 'vitest';
import { nextIn, TABS, tabIn, tabNames } from '../../console/src/approvals/tabs.js';

describe('the lists of approvals', () => {
  it('finds each list by its own address', () => {
    for (const name of tabNames) expect(tabIn(new URLSearchParams(TABS[name].search))).toBe(name);
  });

  it('opens the waiting profiles if the address names no list or an unknown one', () => {
    expect(tabIn(new URLSearchParams())).toBe('waiting');
    expect(tabIn(new URLSearchParams('tab=other'))).toBe('waiting');
    expect(tabIn(new URLSearchParams('tab=decided&status=other'))).toBe('APPROVED');
  });
});

describe('the next profile', () => {
  const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }] as const;

  it('is the following one, or the first one after the last', () => {
    expect(nextIn([a, b, c], 'b')).toBe(c);
    expect(nextIn([a, b, c], 'c')).toBe(a);
  });

  it('is none after the only one', () => {
    expect(nextIn([a], 'a')).toBeUndefined();
    expect(nextIn([], 'a')).toBeUndefined();
  });

  it('is the first one if the list no longer has the profile', () => {
    expect(nextIn([b, c], 'a')).toBe(b);
  });
});
