import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  accepted,
  CodeSecrets,
  codeIn,
  entryOfCodes,
  isLive,
  noCodes,
  type OwnersCodes,
  type StoredCode,
  secretsOf,
} from '../../../src/auth/codes/code-records.js';
import type { Purpose } from '../../../src/auth/codes/texts.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';

const secrets = new CodeSecrets(createSecretKey(Buffer.alloc(32, 'a test')));
const otherSecrets = new CodeSecrets(createSecretKey(Buffer.alloc(32, 'another')));
const ids = Array.from({ length: 30_000 }, (_, n) => `id-${n}`);

describe('a code', () => {
  it.each([
    ['activation', 6],
    ['phone-change', 6],
    ['password-reset', 8],
  ] as const)('of %s has %i digits, each uniformly distributed', (purpose, digits) => {
    const codes = ids.map((id) => secrets.codeOf(purpose, id));
    for (let place = 0; place < digits; place += 1) {
      const counts = new Map<string, number>();
      for (const code of codes) counts.set(code[place] ?? '', (counts.get(code[place] ?? '') ?? 0) + 1);
      expect([...counts.keys()].toSorted().join('')).toBe('0123456789');
      // Chi-squared with 9 degrees of freedom: one in 10,000 random samples is above 33.7. The ids are fixed.
      const chi = [...counts.values()].reduce((sum, count) => sum + (count - 3_000) ** 2 / 3_000, 0);
      expect(chi).toBeLessThan(33.7);
    }
    expect(new Set(codes.map((code) => code.length))).toEqual(new Set([digits]));
  });

  it('is derived from its id and the key', () => {
    expect(secrets.codeOf('activation', 'a')).toBe(secrets.codeOf('activation', 'a'));
    expect(
      ids.filter((id) => secrets.codeOf('activation', id) === otherSecrets.codeOf('activation', id)).length,
    ).toBeLessThan(5);
  });

  it('matches only itself', () => {
    const code = secrets.codeOf('activation', 'a');
    expect(secrets.isCodeOf('activation', 'a', code)).toBe(true);
    for (const other of ['', ` ${code}`, `${code} `, code.slice(1), `${code}0`, '1'.repeat(1_000_000)]) {
      expect(secrets.isCodeOf('activation', 'a', other)).toBe(false);
    }
  });
});

describe('the sealed content of a code', () => {
  const content = { to: { userId: 'ana', contact: 'ana@example.org' }, confirms: { phone: '1' } };

  it('opens only with its id and its key', () => {
    const sealed = secrets.seal('a', content);
    expect(secrets.open({ id: 'a', sealed })).toEqual(content);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('ana');
    expect(() => secrets.open({ id: 'b', sealed })).toThrow(StoreUnavailable);
    expect(() => otherSecrets.open({ id: 'a', sealed })).toThrow(StoreUnavailable);
  });
});

describe('a code of an earlier version of the service', () => {
  it('stays valid, and its content can still be opened', async () => {
    const kept = await secretsOf(async (name) => createSecretKey(Buffer.alloc(32, `the key of ${name}`)));
    expect(kept.codeOf('account-created', 'a')).toBe('05231131');
    const sealed = 'Fnx2LBGIJ0r4ZL7lHVu93Dtj6EC/sUJn+vUBi4SJRVkLHFodJ52g';
    expect(kept.open({ id: 'a', sealed })).toEqual({ to: null });
  });
});

const stored: StoredCode = {
  ...{ id: 'a', channel: 'EMAIL', confirms: '', issuedAt: 0, expiresAt: 600_000, tries: 0, sealed: 'sealed' },
};
const sent: StoredCode = { ...stored, isSent: true };
const spent: StoredCode = { ...stored, sealed: null };
const HOUR_MS = 3_600_000;
describe('the record of the codes of an owner', () => {
  it.each<[string, Partial<OwnersCodes>, number]>([
    ['an hour after the last request', { issued: [10, 20, 30] }, 3_600_030],
    ['an hour after the last request, even if its code expires earlier', { codes: { activation: stored } }, 3_600_000],
    ['with its last code', { codes: { activation: { ...sent, expiresAt: 9_000_000 } }, issued: [30] }, 9_000_000],
    ['an hour after a code whose message waits', { codes: { activation: { ...stored, issuedAt: 9 } } }, HOUR_MS + 9],
    ['72 hours after an invitation whose message waits', { codes: { 'account-created': stored } }, 72 * HOUR_MS],
  ])('expires %s', (_, record, expiresAt) =>
    expect(entryOfCodes('owner', { ...noCodes, ...record }).expiresAt).toBe(expiresAt),
  );

  it('is erased with its user, if it has one', () => {
    const subjects = ['ana', null].map((person) => entryOfCodes('owner', { ...noCodes, person }).subject);
    expect(subjects).toEqual(['ana', undefined]);
  });

  it('contains a code by its id, whatever its purpose', () => {
    const codes = { 'phone-change': stored, 'email-changed': { ...stored, id: 'b' } };
    const found = ['a', 'b', 'c'].map((id) => codeIn({ ...noCodes, codes }, id)?.purpose);
    expect(found).toEqual(['phone-change', 'email-changed', undefined]);
    expect(codeIn(undefined, 'a')).toBeUndefined();
  });
});

describe('a stored code', () => {
  it.each<[string, StoredCode, { readonly purpose?: Purpose; readonly now: number }, boolean]>([
    ['whose message was sent can be used until it expires', sent, { now: 599_999 }, true],
    ['whose message was sent cannot be used from then on', sent, { now: 600_000 }, false],
    ['whose message waits can be used for an hour', stored, { now: HOUR_MS - 1 }, true],
    ['whose message waits cannot be used after an hour', stored, { now: HOUR_MS }, false],
    ['of an invitation can be used for 72 hours', stored, { purpose: 'account-created', now: 72 * HOUR_MS - 1 }, true],
    [
      'of an invitation cannot be used after 72 hours',
      stored,
      { purpose: 'account-created', now: 72 * HOUR_MS },
      false,
    ],
    ['cannot be used again', spent, { now: 0 }, false],
  ])('%s', (_, code, { purpose = 'activation', now }, isUsable) => expect(isLive(purpose, code, now)).toBe(isUsable));

  it.each<[string, StoredCode, { readonly purpose?: Purpose; readonly now: number }, StoredCode]>([
    ['lives for ten minutes after its message', stored, { now: 70_000 }, { ...sent, expiresAt: 670_000 }],
    ['lives so after a late message', stored, { now: HOUR_MS - 1 }, { ...sent, expiresAt: HOUR_MS + 599_999 }],
    [
      'of an invitation lives for 72 hours after its message',
      stored,
      { purpose: 'account-created', now: 5 },
      { ...sent, expiresAt: 72 * HOUR_MS + 5 },
    ],
    ['does not live longer after a second message', sent, { now: 599_999 }, sent],
    ['stays spent', spent, { now: 1 }, spent],
    ['stays expired', stored, { now: HOUR_MS }, stored],
  ])('%s', (_, code, { purpose = 'activation', now }, expected) =>
    expect(accepted(purpose, code, now)).toEqual(expected),
  );
});
