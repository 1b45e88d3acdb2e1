// What a process counts by itself: the bytes that it unpacks, and the events that it folds for reads of the past.
import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import type { Bearer } from '../../../src/auth/tokens/access-tokens.js';
import { RequestLimits } from '../../../src/http/access/rate-limits.js';
import { MemoryRateLimits } from '../../../src/infrastructure/rate-limits/memory.js';

const MIB = 1_048_576;
const limitsOf = (factor = 1) => {
  const own = new MemoryRateLimits();
  return new RequestLimits({ own, shared: own }, factor);
};
const from = (ip: string) => ({ ip, socket: { remoteAddress: ip } }) as unknown as Request;
const bearer = (userId: string, ...roles: readonly string[]): Bearer => ({ userId, roles, sessionId: '', authTime: 0 });
const exhausted = (policy: string) => ({ code: 'too-many-requests', extensions: { 'violated-policies': [policy] } });

describe('the unpacked bytes of bodies', () => {
  it.each([
    ['a user without an approved profile', [], 1, 8],
    ['a user with an approved profile', ['NURSE'], 1, 128],
    ['a user, if all quotas are doubled', [], 2, 16],
  ])('have a quota of %s', async (_, roles, factor, most) => {
    const limits = limitsOf(factor);
    const user = bearer('one', ...roles);
    const send = (bytes: number, sender = user) => limits.ofBytes(bytes, sender, from('203.0.113.1'));
    await send(most * MIB - 1);
    await send(1);
    await send(0);
    await expect(send(1)).rejects.toMatchObject(exhausted('body-bytes-user'));
    await expect(send(0)).rejects.toMatchObject(exhausted('body-bytes-user'));
    await send(MIB, bearer('other', ...roles));
  });

  it('have a quota of an address, for all its users together', async () => {
    const limits = limitsOf();
    for (let user = 0; user < 4; user += 1) {
      await limits.ofBytes(128 * MIB, bearer(`${user}`, 'NURSE'), from('203.0.113.1'));
    }
    const anonymous = (address: string) => limits.ofBytes(1, undefined, from(address));
    await expect(anonymous('203.0.113.1')).rejects.toMatchObject(exhausted('body-bytes'));
    await anonymous('203.0.113.2');
  });
});

describe('the events that are folded for the past', () => {
  it('have a quota of a caller, and a fold that exceeds it ends', async () => {
    const limits = limitsOf();
    await limits.checkPast('one');
    limits.countPast('one', 299_999);
    await limits.checkPast('one');
    limits.countPast('one', 500_000);
    await expect(limits.checkPast('one')).rejects.toMatchObject(exhausted('past-events'));
    await limits.checkPast('other');
  });

  it('are as many as the operator allows', async () => {
    const limits = limitsOf(2);
    limits.countPast('one', 600_000);
    await limits.checkPast('one');
    limits.countPast('one', 1);
    await expect(limits.checkPast('one')).rejects.toMatchObject(exhausted('past-events'));
  });
});
