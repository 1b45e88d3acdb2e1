// Limits on the codes for one address and for one contact. codes.suite.ts has the limit of one owner.
import { describe, expect, it } from 'vitest';
import { Codes } from '../../../src/auth/codes/codes.js';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import { aKey, Clock, times } from '../support/auth-harness.js';
import {
  codeRequest,
  deliveringCodes,
  expectRefused,
  MINUTE_MS,
  messagesIn,
  newStores,
} from './support/codes-harness.js';

describe('a code', () => {
  it('is refused after thirty within an hour from one address, but not from another address', async () => {
    const { codes, clock } = deliveringCodes();
    for (const n of times(codeLimits.ofAddress))
      await codes.issue({ ...codeRequest, owner: `owner-${n}`, to: undefined });
    const wait = { code: 'too-many-codes', retryAfterS: 3_600 };
    await expect(codes.issue(codeRequest)).rejects.toMatchObject(wait);
    expect(await codes.issue({ ...codeRequest, address: '192.0.2.2' })).toBeDefined();
    clock.pass(60 * MINUTE_MS);
    expect(await codes.issue(codeRequest)).toBeDefined();
  });

  it('is refused after five codes to one contact within an hour, even if different clients request them', async () => {
    const { codes, clock } = deliveringCodes();
    const toNumber = (n: number) =>
      ({ ...codeRequest, owner: `owner-${n}`, contactSent: '+5511912345678', address: `192.0.2.${n}` }) as const;
    for (const n of times(codeLimits.ofContact)) await codes.issue(toNumber(n));
    await expect(codes.issue(toNumber(9))).rejects.toMatchObject({ code: 'too-many-codes', retryAfterS: 3_600 });
    expect(await codes.issue({ ...toNumber(9), contactSent: '+5511900000000' })).toBeDefined();
    clock.pass(60 * MINUTE_MS);
    expect(await codes.issue(toNumber(9))).toBeDefined();
  });

  it('that is refused because of its contact does not count against its address', async () => {
    const { codes } = deliveringCodes();
    const ofOne = (n: number, contactSent: string) => ({ ...codeRequest, owner: `${contactSent}-${n}`, contactSent });
    for (const n of times(codeLimits.ofContact)) await codes.issue(ofOne(n, 'a'));
    for (const n of times(codeLimits.ofAddress))
      await expectRefused(codes.issue(ofOne(n + 100, 'a')), 'too-many-codes');
    expect(await codes.issue(ofOne(1, 'b'))).toBeDefined();
  });

  it('that is refused because other requests were faster counts against nothing and leaves no message', async () => {
    const { vault } = newStores();
    const codes = new Codes({ vault, serviceKey: aKey('codes'), onUnsent: () => {}, now: new Clock().now });
    const issue = (n: number) => codes.issue({ ...codeRequest, confirms: n });
    for (const n of times(codeLimits.ofOwner - 1)) await issue(n);
    const outcomes = await Promise.allSettled([97, 98, 99].map(issue));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await messagesIn(vault)).toHaveLength(codeLimits.ofOwner);
    const [counter] = await vault.ofKind<readonly number[]>('code-address', undefined, 10);
    expect(counter?.value).toHaveLength(codeLimits.ofOwner);
  });

  it('has no limit if quotas are off, and a doubled limit with a factor of 2', async () => {
    const { vault } = newStores();
    const withFactor = (factor: number) =>
      new Codes({ vault, serviceKey: aKey('codes'), onUnsent: () => {}, now: new Clock().now, factor });
    const issue = (codes: Codes, owner: string, n: number) =>
      codes.issue({ ...codeRequest, owner, confirms: n, contactSent: owner, address: `192.0.2.${n}` });
    for (const n of times(20)) await issue(withFactor(Number.POSITIVE_INFINITY), 'off', n);
    const doubled = withFactor(2);
    for (const n of times(2 * codeLimits.ofOwner)) await issue(doubled, 'doubled', n);
    await expectRefused(issue(doubled, 'doubled', 99), 'too-many-codes');
  });
});
