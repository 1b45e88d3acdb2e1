// The guarantees of one-time codes, on every engine of the vault and of the background work.
import { describe, expect, it, vi } from 'vitest';
import { CodeSecrets } from '../../../src/auth/codes/code-records.js';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { eventually } from '../../support/eventually.js';
import { aKey, Clock, switchable } from '../auth-harness.js';
import {
  ALL_PURPOSES,
  ana,
  codeIn,
  codeRequest,
  codesOn,
  Inbox,
  MINUTE_MS,
  refusalOf,
  type Stores,
  startDelivering,
  wrongFor,
} from './codes-harness.js';

const times = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Declares the tests of codes on stores that stay open until their test ends. */
export const codesSuite = (engines: string, open: () => Stores): void => {
  /** Returns codes, and an inbox for their messages. */
  const setUp = () => {
    const stores = open();
    const inbox = new Inbox();
    startDelivering(stores, inbox);
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
    it('is sent, and can be redeemed only once', async () => {
      const { codes, received, inbox, clock } = setUp();
      const confirms = { phone: '+5511987654321' };
      const issued = await codes.issue({ ...codeRequest, confirms });
      const now = clock.now();
      expect(issued).toEqual({ channel: 'EMAIL', expiresAt: now + 10 * MINUTE_MS, resendAfter: now + MINUTE_MS });
      const code = await received(1);
      expect(inbox.messages).toMatchObject([{ channel: 'EMAIL', to: ana.contact }]);
      expect(await codes.redeem(codeRequest.owner, code, ALL_PURPOSES)).toEqual({
        purpose: 'activation',
        userId: ana.userId,
        confirms,
      });
      expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES))).toBe('code-refused');
    });

    it('is redeemed by only one of many concurrent attempts', async () => {
      const { codes, received, stores } = setUp();
      await codes.issue(codeRequest);
      const code = await received(1);
      const processes = [codes, codesOn(stores).codes];
      const outcomes = await Promise.allSettled(
        times(6).map((n) => (processes[n % 2] ?? codes).redeem(codeRequest.owner, code, ALL_PURPOSES)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'code-refused' });
      }
    });

    it('allows four wrong attempts, and is void after the fifth', async () => {
      const { codes, received, clock } = setUp();
      await codes.issue(codeRequest);
      const first = await received(1);
      for (const _ of times(codeLimits.tries - 1)) {
        expect(await refusalOf(codes.redeem(codeRequest.owner, wrongFor(first), ALL_PURPOSES))).toBe('code-refused');
      }
      await codes.redeem(codeRequest.owner, first, ALL_PURPOSES);
      clock.pass(MINUTE_MS);
      await codes.issue(codeRequest);
      const second = await received(2);
      for (const _ of times(codeLimits.tries))
        await refusalOf(codes.redeem(codeRequest.owner, wrongFor(second), ALL_PURPOSES));
      expect(await refusalOf(codes.redeem(codeRequest.owner, second, ALL_PURPOSES))).toBe('code-refused');
    });

    it('counts every one of many concurrent wrong attempts', async () => {
      const { codes, received, stores } = setUp();
      await codes.issue(codeRequest);
      const code = await received(1);
      const processes = [codes, codesOn(stores).codes];
      await Promise.allSettled(
        times(codeLimits.tries).map((n) =>
          (processes[n % 2] ?? codes).redeem(codeRequest.owner, wrongFor(code), ALL_PURPOSES),
        ),
      );
      expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES))).toBe('code-refused');
    });

    it('is void after ten minutes', async () => {
      const { codes, received, clock } = setUp();
      await codes.issue(codeRequest);
      const code = await received(1);
      clock.pass(codeLimits.lifeMs);
      expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES))).toBe('code-refused');
    });

    it('replaces the previous code for its purpose, but not the codes for other purposes', async () => {
      const { codes, received, clock } = setUp();
      await codes.issue(codeRequest);
      const first = await received(1);
      await codes.issue({ ...codeRequest, purpose: 'password-reset' });
      const other = await received(2);
      clock.pass(MINUTE_MS);
      await codes.issue(codeRequest);
      const second = await received(3);
      expect(await refusalOf(codes.redeem(codeRequest.owner, first, ['activation']))).toBe('code-refused');
      expect(await codes.redeem(codeRequest.owner, second, ALL_PURPOSES)).toMatchObject({ purpose: 'activation' });
      expect(await codes.redeem(codeRequest.owner, other, ALL_PURPOSES)).toMatchObject({ purpose: 'password-reset' });
    });

    it('is valid only for its purpose and its owner, and a wrong attempt counts for each purpose in the attempt', async () => {
      const { codes, received } = setUp();
      await codes.issue(codeRequest);
      const code = await received(1);
      await codes.issue({ ...codeRequest, purpose: 'phone-change' });
      const other = await received(2);
      expect(await refusalOf(codes.redeem('bia@example.org', code, ALL_PURPOSES))).toBe('code-refused');
      expect(await refusalOf(codes.redeem(codeRequest.owner, code, ['phone-change', 'password-reset']))).toBe(
        'code-refused',
      );
      const wrong =
        times(1_000_000)
          .map((n) => `${n}`.padStart(6, '0'))
          .find((text) => ![code, other].includes(text)) ?? '';
      for (const _ of times(codeLimits.tries - 1))
        await refusalOf(codes.redeem(codeRequest.owner, wrong, ALL_PURPOSES));
      expect(await refusalOf(codes.redeem(codeRequest.owner, other, ['phone-change']))).toBe('code-refused');
      expect(await codes.redeem(codeRequest.owner, code, ALL_PURPOSES)).toMatchObject({ purpose: 'activation' });
    });
  });

  describe(`a request for a code on ${engines}`, () => {
    it('that is repeated within a minute returns the same result and sends nothing, even through another channel', async () => {
      const { codes, clock, settled } = setUp();
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
      const { codes, settled, received } = setUp();
      const change = { ...codeRequest, purpose: 'phone-change' } as const;
      await codes.issue({ ...change, confirms: { phone: '1' } });
      const mistyped = await received(1);
      await codes.issue({ ...change, confirms: { phone: '2' } });
      const code = await received(2);
      await codes.issue({ ...change, confirms: { phone: '2' } });
      expect(await settled()).toHaveLength(2);
      if (mistyped !== code)
        expect(await refusalOf(codes.redeem(codeRequest.owner, mistyped, ALL_PURPOSES))).toBe('code-refused');
      expect(await codes.redeem(codeRequest.owner, code, ALL_PURPOSES)).toMatchObject({ confirms: { phone: '2' } });
    });

    it('that arrives many times at the same time in two processes sends one code', async () => {
      const { codes, clock, stores, settled, received } = setUp();
      const processes = [codes, codesOn(stores, clock).codes];
      const responses = await Promise.all(times(6).map((n) => (processes[n % 2] ?? codes).issue(codeRequest)));
      expect(new Set(responses.map((response) => JSON.stringify(response)))).toHaveLength(1);
      const code = await received(1);
      expect(await settled()).toHaveLength(1);
      expect(await codes.redeem(codeRequest.owner, code, ALL_PURPOSES)).toMatchObject({ userId: ana.userId });
    });

    it('is refused after five within an hour, whatever their purpose and address, in every process', async () => {
      const { codes, clock, stores, queued, settled } = setUp();
      for (const n of times(codeLimits.ofOwner)) {
        await codes.issue({ ...codeRequest, purpose: ALL_PURPOSES[n % 3] ?? 'activation', address: `192.0.2.${n}` });
        // The relay would renew a code that still waits to be queued.
        await queued();
        clock.pass(MINUTE_MS);
      }
      const { codes: elsewhere } = codesOn(stores, clock);
      const wait = { code: 'too-many-codes', retryAfterS: 55 * 60 };
      await expect(elsewhere.issue({ ...codeRequest, address: '192.0.2.9' })).rejects.toMatchObject(wait);
      expect(await elsewhere.issue({ ...codeRequest, owner: 'bia@example.org' })).toBeDefined();
      clock.pass(55 * MINUTE_MS);
      expect(await elsewhere.issue(codeRequest)).toMatchObject({ channel: 'EMAIL' });
      const next = { code: 'too-many-codes', retryAfterS: 60 };
      await expect(codes.issue({ ...codeRequest, purpose: 'phone-change' })).rejects.toMatchObject(next);
      await settled();
    });

    it('is refused after thirty within an hour from one address, but not from another address', async () => {
      const { codes, clock } = setUp();
      for (const n of times(codeLimits.ofAddress))
        await codes.issue({ ...codeRequest, owner: `owner-${n}`, to: undefined });
      const wait = { code: 'too-many-codes', retryAfterS: 3_600 };
      await expect(codes.issue(codeRequest)).rejects.toMatchObject(wait);
      expect(await codes.issue({ ...codeRequest, address: '192.0.2.2' })).toBeDefined();
      clock.pass(60 * MINUTE_MS);
      expect(await codes.issue(codeRequest)).toBeDefined();
    });

    it('for an unknown owner sends nothing, and even the code of its record cannot be redeemed', async () => {
      const { codes, stores, settled } = setUp();
      const enqueue = vi.spyOn(stores.work, 'enqueue');
      await codes.issue({ ...codeRequest, to: undefined });
      expect(await settled()).toEqual([]);
      expect(await stores.work.deadLetters(NOTIFICATION_QUEUE)).toEqual([]);
      const [id = ''] = enqueue.mock.calls.map(([job]) => job.id);
      const code = new CodeSecrets(await aKey('codes')()).codeOf(codeRequest.purpose, id);
      expect(await refusalOf(codes.redeem(codeRequest.owner, code, ALL_PURPOSES))).toBe('code-refused');
    });

    it('for an unknown owner makes the same calls and returns the same results, up to the limit of attempts', async () => {
      const stores = open();
      const calls: string[] = [];
      const vault = recorded(stores.vault, calls);
      const { codes } = codesOn({ ...stores, vault }, new Clock(), () => calls.push('relay'));
      const stepsOf = async (task: () => Promise<unknown>) => {
        calls.length = 0;
        const outcome = await task().catch((error: unknown) => error);
        return { outcome: outcome instanceof Error ? { ...outcome } : outcome, steps: [...calls] };
      };
      const life = async (owner: string, to: typeof codeRequest.to) => {
        const request = { ...codeRequest, owner, to, address: owner };
        const steps = [
          await stepsOf(() => codes.redeem(owner, '000000', ALL_PURPOSES)),
          await stepsOf(() => codes.issue(request)),
        ];
        for (const _ of times(codeLimits.tries + 1)) {
          steps.push(
            await stepsOf(() => codes.redeem(owner, 'x', ALL_PURPOSES)),
            await stepsOf(() => codes.issue(request)),
          );
        }
        return steps;
      };
      const known = await life('ana@example.org', ana);
      expect(await life('nobody@example.org', undefined)).toEqual(known);
      expect(known[1]?.steps).toContain('relay');
    });
  });

  describe(`a code whose store is unavailable, on ${engines}`, () => {
    it('of jobs, is created, counted, and sent when the store is back', async () => {
      const stores = open();
      const { store: work, setUnavailable } = switchable(stores.work);
      const { codes, clock, queued } = codesOn({ ...stores, work });
      const inbox = new Inbox();
      startDelivering(stores, inbox);
      setUnavailable(true);
      const first = await codes.issue(codeRequest);
      expect(await codes.issue({ ...codeRequest, address: '192.0.2.2' })).toEqual(first);
      clock.pass(MINUTE_MS);
      for (const _ of times(codeLimits.ofOwner - 1)) {
        await codes.issue(codeRequest);
        clock.pass(MINUTE_MS);
      }
      expect(await refusalOf(codes.issue(codeRequest))).toBe('too-many-codes');
      setUnavailable(false);
      await queued();
      await eventually(() => expect(inbox.messages).toHaveLength(1));
      const [message = { text: '' }] = inbox.messages;
      expect(await codes.redeem(codeRequest.owner, codeIn(message), ALL_PURPOSES)).toMatchObject({
        userId: ana.userId,
      });
    });

    it('of records, is refused with an error of the store, which costs no attempt', async () => {
      const stores = open();
      const { store: vault, setUnavailable } = switchable(stores.vault);
      const { codes } = codesOn({ ...stores, vault });
      const inbox = new Inbox();
      startDelivering(stores, inbox);
      setUnavailable(true);
      await expect(codes.issue(codeRequest)).rejects.toBeInstanceOf(StoreUnavailable);
      setUnavailable(false);
      await codes.issue(codeRequest);
      await eventually(() => expect(inbox.messages).toHaveLength(1));
      setUnavailable(true);
      for (const _ of times(codeLimits.tries + 1)) {
        await expect(codes.redeem(codeRequest.owner, 'wrong', ALL_PURPOSES)).rejects.toBeInstanceOf(StoreUnavailable);
      }
      setUnavailable(false);
      const [message = { text: '' }] = inbox.messages;
      expect(await codes.redeem(codeRequest.owner, codeIn(message), ALL_PURPOSES)).toMatchObject({
        userId: ana.userId,
      });
    });
  });
};

/** Returns the same store, and adds the name of every call to `calls`. */
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
