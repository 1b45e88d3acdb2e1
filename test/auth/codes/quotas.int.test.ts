// Limits on the codes for one contact, and codes that are verified before they are spent or cancelled.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Codes } from '../../../src/auth/codes/codes.js';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import { Refused } from '../../../src/auth/refused.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { aKey, Clock } from '../auth-harness.js';
import {
  ALL_PURPOSES,
  ana,
  codeIn,
  codeRequest,
  codesOn,
  Inbox,
  MINUTE_MS,
  refusalOf,
  startDelivering,
  wrongFor,
} from './codes-harness.js';

const times = (count: number) => Array.from({ length: count }, (_, n) => n);

const setUp = () => {
  const stores = { vault: new SqliteVault(temporaryDirectory()), work: new SqliteWork(temporaryDirectory()) };
  onTestFinished(async () => void (await Promise.all([stores.vault.close(), stores.work.close()])));
  const inbox = new Inbox();
  startDelivering(stores, inbox);
  const received = async (count: number) => {
    await eventually(() => expect(inbox.messages).toHaveLength(count));
    return codeIn(inbox.messages.at(-1) ?? { text: '' });
  };
  return { ...codesOn(stores), stores, received };
};

describe('a code', () => {
  it('is refused after five codes to one contact within an hour, even if different clients request them', async () => {
    const { codes, clock } = setUp();
    const toNumber = (n: number) =>
      ({ ...codeRequest, owner: `owner-${n}`, contactSent: '+5511912345678', address: `192.0.2.${n}` }) as const;
    for (const n of times(codeLimits.ofContact)) await codes.issue(toNumber(n));
    await expect(codes.issue(toNumber(9))).rejects.toMatchObject({ code: 'too-many-codes', retryAfterS: 3_600 });
    expect(await codes.issue({ ...toNumber(9), contactSent: '+5511900000000' })).toBeDefined();
    clock.pass(60 * MINUTE_MS);
    expect(await codes.issue(toNumber(9))).toBeDefined();
  });

  it('that is refused because of its contact does not count against its address', async () => {
    const { codes } = setUp();
    const ofOne = (n: number, contactSent: string) => ({ ...codeRequest, owner: `${contactSent}-${n}`, contactSent });
    for (const n of times(codeLimits.ofContact)) await codes.issue(ofOne(n, 'a'));
    for (const n of times(codeLimits.ofAddress)) {
      expect(await refusalOf(codes.issue(ofOne(n + 100, 'a')))).toBe('too-many-codes');
    }
    expect(await codes.issue(ofOne(1, 'b'))).toBeDefined();
  });

  it('allows an address four wrong attempts, and any number of addresses forty-nine', async () => {
    const { codes, received, clock } = setUp();
    const attempt = (code: string, address: string) => codes.redeem(codeRequest.owner, code, ALL_PURPOSES, { address });
    await codes.issue(codeRequest);
    const first = await received(1);
    for (const _ of times(codeLimits.tries)) await refusalOf(attempt(wrongFor(first), '192.0.2.9'));
    expect(await refusalOf(attempt(first, '192.0.2.9'))).toBe('code-refused');
    expect(await attempt(first, '192.0.2.1')).toMatchObject({ userId: ana.userId });
    clock.pass(MINUTE_MS);
    await codes.issue(codeRequest);
    const second = await received(2);
    for (const n of times(codeLimits.triesOfAll)) await refusalOf(attempt(wrongFor(second), `198.51.100.${n}`));
    expect(await refusalOf(attempt(second, '192.0.2.1'))).toBe('code-refused');
  });

  it('stays valid if the action that it confirms is refused, and is spent once the action is accepted', async () => {
    const { codes, received } = setUp();
    await codes.issue(codeRequest);
    const code = await received(1);
    const accept = async () => {
      throw new Refused('current-password-refused');
    };
    expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES, { accept }))).toBe(
      'current-password-refused',
    );
    const seen: unknown[] = [];
    await codes.redeem(codeRequest.owner, code, ALL_PURPOSES, {
      accept: async (redeemed) => void seen.push(redeemed),
    });
    expect(seen[0]).toMatchObject({ purpose: 'activation', userId: ana.userId });
    expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES))).toBe('code-refused');
  });

  it('is void once it is cancelled', async () => {
    const { codes, received } = setUp();
    await codes.issue(codeRequest);
    const code = await received(1);
    await codes.cancel(codeRequest.owner, 'password-reset');
    await codes.cancel('nobody', 'activation');
    await codes.cancel(codeRequest.owner, codeRequest.purpose);
    expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES))).toBe('code-refused');
  });

  it('has no limit if quotas are off, and a doubled limit with a factor of 2', async () => {
    const { stores } = setUp();
    const withFactor = (factor: number) =>
      new Codes({ vault: stores.vault, serviceKey: aKey('codes'), onUnsent: () => {}, now: new Clock().now, factor });
    const issue = (codes: Codes, owner: string, n: number) =>
      codes.issue({ ...codeRequest, owner, confirms: n, contactSent: owner, address: `192.0.2.${n}` });
    for (const n of times(20)) await issue(withFactor(Number.POSITIVE_INFINITY), 'off', n);
    const doubled = withFactor(2);
    for (const n of times(2 * codeLimits.ofOwner)) await issue(doubled, 'doubled', n);
    expect(await refusalOf(issue(doubled, 'doubled', 99))).toBe('too-many-codes');
  });
});
