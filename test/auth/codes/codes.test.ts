// The rules of one-time codes: their lifetime, their purposes, their attempts, and what a request reveals.
import { describe, expect, it, vi } from 'vitest';
import { CodeSecrets, type OwnersCodes } from '../../../src/auth/codes/code-records.js';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import { Refused } from '../../../src/auth/refused.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { first } from '../../support/items.js';
import { aKey, Clock, recordingCalls, times } from '../support/auth-harness.js';
import { codesSuite } from './codes.suite.js';
import {
  ALL_PURPOSES,
  ana,
  codeFixture,
  codeIn,
  codeRequest,
  codesOn,
  deliveringCodes,
  expectRefused,
  Inbox,
  MINUTE_MS,
  newStores,
  startDelivering,
  wrongFor,
} from './support/codes-harness.js';

const THREE_DAYS_MS = 259_200_000;

codesSuite('the memory of a test', newStores);

/** Returns codes, of which the first was issued for `codeRequest` and received. */
const issued = async () => {
  const fixture = deliveringCodes();
  await fixture.codes.issue(codeRequest);
  return { ...fixture, code: await fixture.received(1) };
};

describe('a code', () => {
  it('allows four wrong attempts, and is void after the fifth', async () => {
    const { codes, redeem, received, clock, code } = await issued();
    for (const _ of times(codeLimits.tries - 1)) await expectRefused(redeem(wrongFor(code)));
    await redeem(code);
    clock.pass(MINUTE_MS);
    await codes.issue(codeRequest);
    const second = await received(2);
    for (const _ of times(codeLimits.tries)) await expectRefused(redeem(wrongFor(second)));
    await expectRefused(redeem(second));
  });

  it('allows an address four wrong attempts, and any number of addresses forty-nine', async () => {
    const { codes, redeem, received, clock, code } = await issued();
    const attempt = (given: string, address: string) => redeem(given, ALL_PURPOSES, { address });
    for (const _ of times(codeLimits.tries)) await expectRefused(attempt(wrongFor(code), '192.0.2.9'));
    await expectRefused(attempt(code, '192.0.2.9'));
    expect(await attempt(code, '192.0.2.1')).toMatchObject({ userId: ana.userId });
    clock.pass(MINUTE_MS);
    await codes.issue(codeRequest);
    const second = await received(2);
    for (const n of times(codeLimits.triesOfAll)) await expectRefused(attempt(wrongFor(second), `198.51.100.${n}`));
    await expectRefused(attempt(second, '192.0.2.1'));
  });

  it('stays valid for an hour if no worker records that a server accepted its message', async () => {
    const { codes, stores, clock, mayRedeem, settled } = codeFixture(newStores());
    const inbox = new Inbox();
    const send = async (message: Message) => {
      await inbox.send(message);
      throw new Error('the worker ended');
    };
    startDelivering(stores, { send }, { now: clock.now });
    await codes.issue(codeRequest);
    await settled();
    const code = codeIn(first(inbox.messages));
    clock.pass(codeLimits.waitMs - 1);
    expect(await mayRedeem(code, codeRequest.purpose)).toBe(true);
    clock.pass(1);
    expect(await mayRedeem(code, codeRequest.purpose)).toBe(false);
  });

  it('stays used up if it is redeemed before a worker records that a server accepted its message', async () => {
    const { codes, stores, clock, redeem, settled } = codeFixture(newStores());
    const inbox = new Inbox(async (message) => void (await redeem(codeIn(message))));
    startDelivering(stores, inbox, { now: clock.now });
    await codes.issue(codeRequest);
    await settled();
    await expectRefused(redeem(codeIn(first(inbox.messages))));
  });

  it('lives from the first message that a server accepts, even if another worker sends a second one', async () => {
    const { codes, stores, clock, mayRedeem, queued, settled } = codeFixture(newStores());
    await codes.issue(codeRequest);
    await queued();
    const another = codeFixture({ ...stores, work: newStores().work }, clock);
    const inbox = new Inbox(async ({ id }) => {
      const [record] = await stores.vault.ofKind('code', undefined, 1);
      await another.stores.work.enqueue({
        queue: NOTIFICATION_QUEUE,
        id,
        data: { record: record?.key, language: 'en' },
      });
      another.deliver();
      await another.received(1);
      clock.pass(5 * MINUTE_MS);
    });
    startDelivering(stores, inbox, { now: clock.now });
    await settled();
    const code = codeIn(first(inbox.messages));
    expect(another.inbox.messages.map(codeIn)).toEqual([code]);
    clock.pass(5 * MINUTE_MS - 1);
    expect(await mayRedeem(code, codeRequest.purpose)).toBe(true);
    clock.pass(1);
    expect(await mayRedeem(code, codeRequest.purpose)).toBe(false);
  });

  it('of a new account is valid for three days, also if the owner requests another code', async () => {
    const { codes, stores, redeem, received, clock } = deliveringCodes();
    await codes.issue({ ...codeRequest, purpose: 'account-created' });
    const code = await received(1);
    clock.pass(30 * MINUTE_MS);
    await codes.issue({ ...codeRequest, purpose: 'password-reset' });
    await received(2);
    clock.pass(THREE_DAYS_MS - 30 * MINUTE_MS - 1);
    const [record] = await stores.vault.ofKind('code', undefined, 1);
    expect(record?.expiresAt).toBe(clock.now() + 1);
    const wrong = times(codeLimits.tries - 1).map(() => expectRefused(redeem(wrongFor(code), ['account-created'])));
    await Promise.all(wrong);
    expect(await redeem(code, ['account-created'])).toMatchObject({ userId: ana.userId });
  });

  it('of a new account is void after three days', async () => {
    const { codes, redeem, received, clock } = deliveringCodes();
    await codes.issue({ ...codeRequest, purpose: 'account-created' });
    const code = await received(1);
    clock.pass(THREE_DAYS_MS);
    await expectRefused(redeem(code, ['account-created']));
  });

  it('is void once it is cancelled', async () => {
    const { codes, redeem, code } = await issued();
    await codes.cancel(codeRequest.owner, 'password-reset');
    await codes.cancel('nobody', 'activation');
    await codes.cancel(codeRequest.owner, codeRequest.purpose);
    await expectRefused(redeem(code));
  });

  it('replaces the previous code for its purpose, but not the codes for other purposes', async () => {
    const { codes, redeem, received, clock, code: first } = await issued();
    await codes.issue({ ...codeRequest, purpose: 'password-reset' });
    const other = await received(2);
    clock.pass(MINUTE_MS);
    await codes.issue(codeRequest);
    const second = await received(3);
    await expectRefused(redeem(first, ['activation']));
    expect(await redeem(second)).toMatchObject({ purpose: 'activation' });
    expect(await redeem(other)).toMatchObject({ purpose: 'password-reset' });
  });

  it('stays valid, and is erased with its user, if another code is requested for a contact that the user lacks', async () => {
    const { codes, stores, redeem, code } = await issued();
    await codes.issue({ ...codeRequest, purpose: 'phone-change', to: undefined });
    expect(await redeem(code)).toMatchObject({ userId: ana.userId });
    expect(await stores.vault.ofSubject('code', ana.userId)).toHaveLength(1);
  });

  it('is valid only for its purpose and its owner, and a wrong attempt counts for each purpose in the attempt', async () => {
    const { codes, redeem, received, code } = await issued();
    await codes.issue({ ...codeRequest, purpose: 'phone-change' });
    const other = await received(2);
    await expectRefused(codes.redeem('bia@example.org', code, ALL_PURPOSES));
    await expectRefused(redeem(code, ['phone-change', 'password-reset']));
    const wrong = ['000000', '000001', '000002'].find((text) => ![code, other].includes(text)) ?? '';
    for (const _ of times(codeLimits.tries - 1)) await expectRefused(redeem(wrong));
    await expectRefused(redeem(other, ['phone-change']));
    expect(await redeem(code)).toMatchObject({ purpose: 'activation' });
  });

  it('stays valid if the action that it confirms is refused, and is spent once the action is accepted', async () => {
    const { redeem, code } = await issued();
    const refusing = { accept: () => Promise.reject(new Refused('current-password-refused')) };
    await expectRefused(redeem(code, ALL_PURPOSES, refusing), 'current-password-refused');
    const accept = vi.fn(async () => {});
    await redeem(code, ALL_PURPOSES, { accept });
    // The delivery may change the record of the code in the meantime. Then `accept` is called again.
    expect(accept.mock.lastCall).toMatchObject([{ purpose: 'activation', userId: ana.userId }]);
    await expectRefused(redeem(code));
  });
});

describe('a request for a code', () => {
  it('that is repeated within a minute returns the same result and sends nothing, even through another channel', async () => {
    const { codes, clock, settled } = deliveringCodes();
    const first = await codes.issue(codeRequest);
    clock.pass(MINUTE_MS - 1);
    expect(await codes.issue({ ...codeRequest, channel: 'SMS', address: '192.0.2.2' })).toEqual(first);
    expect(await settled()).toHaveLength(1);
    clock.pass(1);
    expect(await codes.issue(codeRequest)).toEqual({
      channel: 'EMAIL',
      expiresAt: first.expiresAt + MINUTE_MS,
      resendAfter: first.resendAfter + MINUTE_MS,
    });
    expect(await settled()).toHaveLength(2);
  });

  it('that is repeated within a minute to confirm another value sends a new code and voids the first', async () => {
    const { codes, settled, received, redeem } = deliveringCodes();
    const change = { ...codeRequest, purpose: 'phone-change' } as const;
    await codes.issue({ ...change, confirms: { phone: '1' } });
    const mistyped = await received(1);
    await codes.issue({ ...change, confirms: { phone: '2' } });
    const code = await received(2);
    await codes.issue({ ...change, confirms: { phone: '2' } });
    expect(await settled()).toHaveLength(2);
    if (mistyped !== code) await expectRefused(redeem(mistyped));
    expect(await redeem(code)).toMatchObject({ confirms: { phone: '2' } });
  });

  it('keeps its message if nobody knows whether it was stored, and is then sent', async () => {
    const { codes, stores, received, redeem } = deliveringCodes();
    const { insert } = stores.vault;
    vi.spyOn(stores.vault, 'insert').mockImplementation(async (entry) => {
      const version = await insert.call(stores.vault, entry);
      if (entry.kind === 'code') throw new StoreUnavailable('the vault', 'its response was lost');
      return version;
    });
    await expect(codes.issue(codeRequest)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await redeem(await received(1))).toMatchObject({ userId: ana.userId });
  });

  it('for an unknown owner sends nothing, and even the code of its record cannot be redeemed', async () => {
    const { codes, stores, settled, deadLetters, redeem } = deliveringCodes();
    const enqueue = vi.spyOn(stores.work, 'enqueue');
    await codes.issue({ ...codeRequest, to: undefined });
    expect([await settled(), await deadLetters()]).toEqual([[], []]);
    const [id = ''] = enqueue.mock.calls.map(([job]) => job.id);
    await expectRefused(redeem(new CodeSecrets(await aKey('codes')()).codeOf(codeRequest.purpose, id)));
  });

  it('for an unknown owner leaves the same times as for a known owner', async () => {
    const recordFor = async (to: typeof codeRequest.to) => {
      const { codes, clock, stores, settled, deliver, queued } = codeFixture(newStores(), new Clock());
      await codes.issue({ ...codeRequest, to });
      await queued();
      clock.pass(7 * MINUTE_MS);
      deliver();
      await settled();
      const [record] = await stores.vault.ofKind<OwnersCodes>('code', undefined, 1);
      const { isSent, issuedAt = 0, expiresAt = 0 } = record?.value.codes[codeRequest.purpose] ?? {};
      return [isSent, expiresAt - issuedAt, (record?.expiresAt ?? 0) - issuedAt];
    };
    const known = await recordFor(ana);
    expect(known).toEqual([true, 17 * MINUTE_MS, 60 * MINUTE_MS]);
    expect(await recordFor(undefined)).toEqual(known);
  });

  it('for an unknown owner makes the same calls and returns the same results, up to the limit of attempts', async () => {
    const stores = newStores();
    const calls: string[] = [];
    const vault = recordingCalls(stores.vault, calls);
    const { codes } = codesOn({ ...stores, vault }, new Clock(), () => calls.push('relay'));
    const stepsOf = async (task: () => Promise<unknown>) => {
      calls.length = 0;
      const outcome = await task().catch((error: unknown) => error);
      return { outcome: outcome instanceof Error ? { ...outcome } : outcome, steps: [...calls] };
    };
    const life = async (owner: string, to: typeof codeRequest.to) => {
      const steps = [];
      for (const _ of times(codeLimits.tries + 2)) {
        steps.push(
          await stepsOf(() => codes.redeem(owner, '000000x', ALL_PURPOSES)),
          await stepsOf(() => codes.issue({ ...codeRequest, owner, to, address: owner })),
        );
      }
      return steps;
    };
    const known = await life('ana@example.org', ana);
    expect(await life('nobody@example.org', undefined)).toEqual(known);
    expect(known[1]?.steps).toContain('relay');
  });
});
