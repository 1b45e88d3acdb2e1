// What one-time codes promise, on whichever vault and work.
import { describe, expect, it, vi } from 'vitest';
import { CodeSecrets } from '../../../src/auth/codes/code-records.js';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../../src/auth/codes/vault-codes.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { eventually } from '../../support/eventually.js';
import { aKey, Clock, switchable } from '../auth-harness.js';
import {
  ALL,
  ana,
  asked,
  codeIn,
  codesOn,
  delivering,
  Inbox,
  MINUTE_MS,
  refusalOf,
  type Stores,
  wrongFor,
} from './codes-harness.js';

const times = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Declares the tests of codes on stores that are open until their test ends. */
export const codesSuite = (engines: string, open: () => Stores): void => {
  /** Codes, and the messages that they come by. */
  const opened = () => {
    const stores = open();
    const inbox = new Inbox();
    delivering(stores, inbox);
    const process = codesOn(stores);
    const received = async (count: number) => {
      await eventually(() => expect(inbox.messages).toHaveLength(count));
      const message = inbox.messages.at(-1);
      if (message === undefined) throw new Error('nothing was sent');
      return codeIn(message);
    };
    /** Waits until all jobs are done, whether or not they sent anything. */
    const settled = async () => {
      await process.queued();
      await eventually(async () => expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(0));
      return inbox.messages;
    };
    return { ...process, stores, inbox, received, settled };
  };

  describe(`a one-time code on ${engines}`, () => {
    it('is sent, and redeemed once', async () => {
      const { codes, received, inbox, clock } = opened();
      const confirms = { phone: '+5511987654321' };
      const issued = await codes.issue({ ...asked, confirms });
      const now = clock.now();
      expect(issued).toEqual({ channel: 'EMAIL', expiresAt: now + 10 * MINUTE_MS, resendAfter: now + MINUTE_MS });
      const code = await received(1);
      expect(inbox.messages).toMatchObject([{ channel: 'EMAIL', to: ana.contact }]);
      expect(await codes.redeem(asked.owner, code, ALL)).toEqual({
        purpose: 'activation',
        userId: ana.userId,
        confirms,
      });
      expect(await refusalOf(codes.redeem(asked.owner, code, ALL))).toBe('code-refused');
    });

    it('is redeemed by one of many at once', async () => {
      const { codes, received, stores } = opened();
      await codes.issue(asked);
      const code = await received(1);
      const processes = [codes, codesOn(stores).codes];
      const outcomes = await Promise.allSettled(
        times(6).map((n) => (processes[n % 2] ?? codes).redeem(asked.owner, code, ALL)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'code-refused' });
      }
    });

    it('may be tried wrongly four times, and is void after the fifth', async () => {
      const { codes, received, clock } = opened();
      await codes.issue(asked);
      const first = await received(1);
      for (const _ of times(codeLimits.tries - 1)) {
        expect(await refusalOf(codes.redeem(asked.owner, wrongFor(first), ALL))).toBe('code-refused');
      }
      await codes.redeem(asked.owner, first, ALL);
      clock.pass(MINUTE_MS);
      await codes.issue(asked);
      const second = await received(2);
      for (const _ of times(codeLimits.tries)) await refusalOf(codes.redeem(asked.owner, wrongFor(second), ALL));
      expect(await refusalOf(codes.redeem(asked.owner, second, ALL))).toBe('code-refused');
    });

    it('counts every wrong try of many at once', async () => {
      const { codes, received, stores } = opened();
      await codes.issue(asked);
      const code = await received(1);
      const processes = [codes, codesOn(stores).codes];
      await Promise.allSettled(
        times(codeLimits.tries).map((n) => (processes[n % 2] ?? codes).redeem(asked.owner, wrongFor(code), ALL)),
      );
      expect(await refusalOf(codes.redeem(asked.owner, code, ALL))).toBe('code-refused');
    });

    it('is void after ten minutes', async () => {
      const { codes, received, clock } = opened();
      await codes.issue(asked);
      const code = await received(1);
      clock.pass(codeLimits.lifeMs);
      expect(await refusalOf(codes.redeem(asked.owner, code, ALL))).toBe('code-refused');
    });

    it('replaces the one before of its purpose, and leaves those of others', async () => {
      const { codes, received, clock } = opened();
      await codes.issue(asked);
      const first = await received(1);
      await codes.issue({ ...asked, purpose: 'password-reset' });
      const other = await received(2);
      clock.pass(MINUTE_MS);
      await codes.issue(asked);
      const second = await received(3);
      expect(await refusalOf(codes.redeem(asked.owner, first, ['activation']))).toBe('code-refused');
      expect(await codes.redeem(asked.owner, second, ALL)).toMatchObject({ purpose: 'activation' });
      expect(await codes.redeem(asked.owner, other, ALL)).toMatchObject({ purpose: 'password-reset' });
    });

    it('is of its purpose and its owner alone, and a wrong try counts on each purpose that was asked for', async () => {
      const { codes, received } = opened();
      await codes.issue(asked);
      const code = await received(1);
      await codes.issue({ ...asked, purpose: 'phone-change' });
      const other = await received(2);
      expect(await refusalOf(codes.redeem('bia@example.org', code, ALL))).toBe('code-refused');
      expect(await refusalOf(codes.redeem(asked.owner, code, ['phone-change', 'password-reset']))).toBe('code-refused');
      const wrong =
        times(1_000_000)
          .map((n) => `${n}`.padStart(6, '0'))
          .find((text) => ![code, other].includes(text)) ?? '';
      for (const _ of times(codeLimits.tries - 1)) await refusalOf(codes.redeem(asked.owner, wrong, ALL));
      expect(await refusalOf(codes.redeem(asked.owner, other, ['phone-change']))).toBe('code-refused');
      expect(await codes.redeem(asked.owner, code, ALL)).toMatchObject({ purpose: 'activation' });
    });
  });

  describe(`asking for a code on ${engines}`, () => {
    it('again within a minute gives the same answer and sends nothing, also by another channel', async () => {
      const { codes, clock, settled } = opened();
      const first = await codes.issue(asked);
      clock.pass(MINUTE_MS - 1);
      expect(await codes.issue({ ...asked, channel: 'SMS', address: '192.0.2.2' })).toEqual(first);
      expect(await settled()).toHaveLength(1);
      clock.pass(1);
      expect(await codes.issue(asked)).toEqual({
        channel: 'EMAIL',
        expiresAt: first.expiresAt + MINUTE_MS,
        resendAfter: first.resendAfter + MINUTE_MS,
      });
      expect(await settled()).toHaveLength(2);
    });

    it('again within a minute sends another one where it is to confirm another thing, and voids the first', async () => {
      const { codes, settled, received } = opened();
      const change = { ...asked, purpose: 'phone-change' } as const;
      await codes.issue({ ...change, confirms: { phone: '1' } });
      const mistyped = await received(1);
      await codes.issue({ ...change, confirms: { phone: '2' } });
      const code = await received(2);
      await codes.issue({ ...change, confirms: { phone: '2' } });
      expect(await settled()).toHaveLength(2);
      if (mistyped !== code) expect(await refusalOf(codes.redeem(asked.owner, mistyped, ALL))).toBe('code-refused');
      expect(await codes.redeem(asked.owner, code, ALL)).toMatchObject({ confirms: { phone: '2' } });
    });

    it('at once, in two processes, sends one', async () => {
      const { codes, clock, stores, settled, received } = opened();
      const processes = [codes, codesOn(stores, clock).codes];
      const answers = await Promise.all(times(6).map((n) => (processes[n % 2] ?? codes).issue(asked)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toHaveLength(1);
      const code = await received(1);
      expect(await settled()).toHaveLength(1);
      expect(await codes.redeem(asked.owner, code, ALL)).toMatchObject({ userId: ana.userId });
    });

    it('is refused after five within an hour, for whatever purpose and from wherever, in every process', async () => {
      const { codes, clock, stores, queued, settled } = opened();
      for (const n of times(codeLimits.ofOwner)) {
        await codes.issue({ ...asked, purpose: ALL[n % 3] ?? 'activation', address: `192.0.2.${n}` });
        // A code that waits for its queue would be as good as new once the relay moves it.
        await queued();
        clock.pass(MINUTE_MS);
      }
      const { codes: elsewhere } = codesOn(stores, clock);
      const wait = { code: 'too-many-codes', retryAfterS: 55 * 60 };
      await expect(elsewhere.issue({ ...asked, address: '192.0.2.9' })).rejects.toMatchObject(wait);
      expect(await elsewhere.issue({ ...asked, owner: 'bia@example.org' })).toBeDefined();
      clock.pass(55 * MINUTE_MS);
      expect(await elsewhere.issue(asked)).toMatchObject({ channel: 'EMAIL' });
      const next = { code: 'too-many-codes', retryAfterS: 60 };
      await expect(codes.issue({ ...asked, purpose: 'phone-change' })).rejects.toMatchObject(next);
      await settled();
    });

    it('is refused after thirty within an hour from one address, which blocks no other', async () => {
      const { codes, clock } = opened();
      for (const n of times(codeLimits.ofAddress)) await codes.issue({ ...asked, owner: `owner-${n}`, to: undefined });
      const wait = { code: 'too-many-codes', retryAfterS: 3_600 };
      await expect(codes.issue(asked)).rejects.toMatchObject(wait);
      expect(await codes.issue({ ...asked, address: '192.0.2.2' })).toBeDefined();
      clock.pass(60 * MINUTE_MS);
      expect(await codes.issue(asked)).toBeDefined();
    });

    it('for an unknown owner sends nothing, and not even the code that its record stands for redeems it', async () => {
      const { codes, stores, settled } = opened();
      const enqueue = vi.spyOn(stores.work, 'enqueue');
      await codes.issue({ ...asked, to: undefined });
      expect(await settled()).toEqual([]);
      expect(await stores.work.deadLetters(NOTIFICATION_QUEUE)).toEqual([]);
      const [id = ''] = enqueue.mock.calls.map(([job]) => job.id);
      const code = new CodeSecrets(await aKey('codes')()).codeOf(asked.purpose, id);
      expect(await refusalOf(codes.redeem(asked.owner, code, ALL))).toBe('code-refused');
    });

    it('for an unknown owner takes the same calls and gets the same answers, until it is tried too often', async () => {
      const stores = open();
      const calls: string[] = [];
      const vault = recorded(stores.vault, calls);
      const { codes } = codesOn({ ...stores, vault }, new Clock(), () => calls.push('relay'));
      const stepsOf = async (task: () => Promise<unknown>) => {
        calls.length = 0;
        const outcome = await task().catch((error: unknown) => error);
        return { outcome: outcome instanceof Error ? { ...outcome } : outcome, steps: [...calls] };
      };
      const life = async (owner: string, to: typeof asked.to) => {
        const request = { ...asked, owner, to, address: owner };
        const steps = [
          await stepsOf(() => codes.redeem(owner, '000000', ALL)),
          await stepsOf(() => codes.issue(request)),
        ];
        for (const _ of times(codeLimits.tries + 1)) {
          steps.push(await stepsOf(() => codes.redeem(owner, 'x', ALL)), await stepsOf(() => codes.issue(request)));
        }
        return steps;
      };
      const known = await life('ana@example.org', ana);
      expect(await life('nobody@example.org', undefined)).toEqual(known);
      expect(known[1]?.steps).toContain('relay');
    });
  });

  describe(`a code whose store is unavailable, on ${engines}`, () => {
    it('of the jobs, is made, counted, and sent when the store is back', async () => {
      const stores = open();
      const { store: work, away } = switchable(stores.work);
      const { codes, clock, queued } = codesOn({ ...stores, work });
      const inbox = new Inbox();
      delivering(stores, inbox);
      away(true);
      const first = await codes.issue(asked);
      expect(await codes.issue({ ...asked, address: '192.0.2.2' })).toEqual(first);
      clock.pass(MINUTE_MS);
      for (const _ of times(codeLimits.ofOwner - 1)) {
        await codes.issue(asked);
        clock.pass(MINUTE_MS);
      }
      expect(await refusalOf(codes.issue(asked))).toBe('too-many-codes');
      away(false);
      await queued();
      await eventually(() => expect(inbox.messages).toHaveLength(1));
      const [message = { text: '' }] = inbox.messages;
      expect(await codes.redeem(asked.owner, codeIn(message), ALL)).toMatchObject({ userId: ana.userId });
    });

    it('of the records, is refused as such, and no try is lost', async () => {
      const stores = open();
      const { store: vault, away } = switchable(stores.vault);
      const { codes } = codesOn({ ...stores, vault });
      const inbox = new Inbox();
      delivering(stores, inbox);
      away(true);
      await expect(codes.issue(asked)).rejects.toBeInstanceOf(StoreUnavailable);
      away(false);
      await codes.issue(asked);
      await eventually(() => expect(inbox.messages).toHaveLength(1));
      away(true);
      for (const _ of times(codeLimits.tries + 1)) {
        await expect(codes.redeem(asked.owner, 'wrong', ALL)).rejects.toBeInstanceOf(StoreUnavailable);
      }
      away(false);
      const [message = { text: '' }] = inbox.messages;
      expect(await codes.redeem(asked.owner, codeIn(message), ALL)).toMatchObject({ userId: ana.userId });
    });
  });
};

/** Names every call of a store's, in order. */
const recorded = <T extends object>(store: T, calls: string[]): T =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]) => {
        calls.push(String(name));
        return member.apply(target, given);
      };
    },
  });
