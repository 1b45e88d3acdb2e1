// The guarantees of one-time codes that depend on the engines of the vault and of the background work.
import { describe, expect, it } from 'vitest';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import type { Purpose } from '../../../src/auth/codes/texts.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { first } from '../../support/items.js';
import { switchable, times } from '../support/auth-harness.js';
import {
  ana,
  codeFixture,
  codeIn,
  codeRequest,
  codesOn,
  deliveringCodes,
  expectRefused,
  Inbox,
  MINUTE_MS,
  type Stores,
  startDelivering,
  wrongFor,
} from './support/codes-harness.js';

/** Declares the tests of codes on stores that stay open until their test ends. */
export const codesSuite = (engines: string, open: () => Stores): void => {
  /** Returns codes, and `inTurn`, which returns the codes of two processes in turn. */
  const setUp = () => {
    const fixture = deliveringCodes(open());
    const { codes: elsewhere } = codesOn(fixture.stores, fixture.clock);
    return { ...fixture, elsewhere, inTurn: (n: number) => (n % 2 === 0 ? fixture.codes : elsewhere) };
  };

  describe(`a one-time code on ${engines}`, () => {
    it('is sent, and can be redeemed only once', async () => {
      const { codes, received, redeem, inbox, clock } = setUp();
      const confirms = { phone: '+5511987654321' };
      const issued = await codes.issue({ ...codeRequest, confirms });
      const now = clock.now();
      expect(issued).toEqual({ channel: 'EMAIL', expiresAt: now + 10 * MINUTE_MS, resendAfter: now + MINUTE_MS });
      const code = await received(1);
      expect(inbox.messages).toMatchObject([{ channel: 'EMAIL', to: ana.contact }]);
      expect(await redeem(code)).toEqual({ purpose: 'activation', userId: ana.userId, confirms });
      await expectRefused(redeem(code));
    });

    it.each<[Purpose, string, number, number]>([
      ['activation', '10 minutos', 0, codeLimits.lifeMs],
      ['phone-change', '10 minutos', 10.2 * MINUTE_MS, codeLimits.lifeMs],
      ['password-reset', '10 minutos', codeLimits.waitMs - 1, codeLimits.lifeMs],
      ['account-created', '3 dias', 2 * codeLimits.waitMs, codeLimits.invitationLifeMs],
    ])('for %s lives for %s from the moment when a server accepts its message', async (purpose, life, wait, lifeMs) => {
      const stores = open();
      const { codes, clock, settled, mayRedeem } = codeFixture(stores);
      const waits = [wait];
      const inbox = new Inbox(async () => {
        const ms = waits.pop();
        if (ms === undefined) return;
        clock.pass(ms);
        throw new NotSent('not now');
      });
      startDelivering(stores, inbox, { now: clock.now });
      const { expiresAt } = await codes.issue({ ...codeRequest, purpose });
      expect(expiresAt).toBe(clock.now() + lifeMs);
      await settled();
      expect(inbox.messages).toMatchObject([{ text: expect.stringContaining(life) }]);
      const code = codeIn(first(inbox.messages));
      clock.pass(lifeMs - 1);
      expect(await mayRedeem(code, purpose)).toBe(true);
      clock.pass(1);
      expect(await mayRedeem(code, purpose)).toBe(false);
    });

    it('is redeemed by only one of many concurrent attempts', async () => {
      const { codes, received, inTurn } = setUp();
      await codes.issue(codeRequest);
      const code = await received(1);
      const redeemed = times(6).map((n) => inTurn(n).redeem(codeRequest.owner, code, ['activation']));
      const refused = (await Promise.allSettled(redeemed)).filter((outcome) => outcome.status === 'rejected');
      expect(refused.map(({ reason }) => reason.code)).toEqual(times(5).map(() => 'code-refused'));
    });

    it('counts every one of many concurrent wrong attempts', async () => {
      const { codes, received, redeem, inTurn } = setUp();
      await codes.issue(codeRequest);
      const code = await received(1);
      const wrong = times(codeLimits.tries).map((n) =>
        inTurn(n).redeem(codeRequest.owner, wrongFor(code), ['activation']),
      );
      await Promise.allSettled(wrong);
      await expectRefused(redeem(code));
    });
  });

  describe(`a request for a code on ${engines}`, () => {
    it('that arrives many times at the same time in two processes sends one code', async () => {
      const { inTurn, settled, received, redeem } = setUp();
      const responses = await Promise.all(times(6).map((n) => inTurn(n).issue(codeRequest)));
      expect(responses).toEqual(times(6).map(() => responses[0]));
      const code = await received(1);
      expect(await settled()).toHaveLength(1);
      expect(await redeem(code)).toMatchObject({ userId: ana.userId });
    });

    it('is refused after five within an hour, whatever their purpose and address, in every process', async () => {
      const { codes, elsewhere, clock, settled } = setUp();
      const purposes = ['activation', 'phone-change', 'password-reset', 'activation', 'phone-change'] as const;
      expect(purposes).toHaveLength(codeLimits.ofOwner);
      for (const [n, purpose] of purposes.entries()) {
        await codes.issue({ ...codeRequest, purpose, address: `192.0.2.${n}` });
        clock.pass(MINUTE_MS);
      }
      const wait = { code: 'too-many-codes', retryAfterS: 55 * 60 };
      await expect(elsewhere.issue({ ...codeRequest, address: '192.0.2.9' })).rejects.toMatchObject(wait);
      expect(await elsewhere.issue({ ...codeRequest, owner: 'bia@example.org' })).toBeDefined();
      clock.pass(55 * MINUTE_MS);
      expect(await elsewhere.issue(codeRequest)).toMatchObject({ channel: 'EMAIL' });
      const next = { code: 'too-many-codes', retryAfterS: 60 };
      await expect(codes.issue({ ...codeRequest, purpose: 'phone-change' })).rejects.toMatchObject(next);
      await settled();
    });
  });

  describe(`a code whose store is unavailable, on ${engines}`, () => {
    it('of jobs, is created, counted, and sent when the store is back', async () => {
      const stores = open();
      const { store: work, setUnavailable } = switchable(stores.work);
      const { codes, clock, queued, inbox, received, redeem } = codeFixture({ ...stores, work });
      startDelivering(stores, inbox);
      setUnavailable(true);
      const first = await codes.issue(codeRequest);
      expect(await codes.issue({ ...codeRequest, address: '192.0.2.2' })).toEqual(first);
      clock.pass(MINUTE_MS);
      for (const _ of times(codeLimits.ofOwner - 1)) {
        await codes.issue(codeRequest);
        clock.pass(MINUTE_MS);
      }
      await expectRefused(codes.issue(codeRequest), 'too-many-codes');
      setUnavailable(false);
      await queued();
      expect(await redeem(await received(1))).toMatchObject({ userId: ana.userId });
    });

    it('of records, is refused with an error of the store, which costs no attempt', async () => {
      const stores = open();
      const { store: vault, setUnavailable } = switchable(stores.vault);
      const { codes, inbox, received, redeem } = codeFixture({ ...stores, vault });
      startDelivering(stores, inbox);
      setUnavailable(true);
      await expect(codes.issue(codeRequest)).rejects.toBeInstanceOf(StoreUnavailable);
      setUnavailable(false);
      await codes.issue(codeRequest);
      const code = await received(1);
      setUnavailable(true);
      for (const _ of times(codeLimits.tries + 1)) await expect(redeem('x')).rejects.toBeInstanceOf(StoreUnavailable);
      setUnavailable(false);
      expect(await redeem(code)).toMatchObject({ userId: ana.userId });
    });
  });
};
