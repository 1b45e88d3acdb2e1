import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import { type Message, NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import { Final } from '../../../src/infrastructure/work/work.js';
import { MINUTE_MS } from '../../support/clock.js';
import { temporaryDirectory } from '../../support/directory.js';
import { first } from '../../support/items.js';
import { Clock, times } from '../support/auth-harness.js';
import {
  ALL_PURPOSES,
  ana,
  codeFixture,
  codeIn,
  codeRequest,
  expectRefused,
  Inbox,
  newStores,
  startDelivering,
} from './support/codes-harness.js';

const setUp = () => codeFixture(newStores());

describe('a message with a code', () => {
  it('has the requested language and channel, and the id of the job', async () => {
    const { codes, deliver, settled } = setUp();
    const to = { userId: 'ana', contact: '+5511987654321' };
    await codes.issue({ ...codeRequest, to, channel: 'SMS', language: 'en', purpose: 'phone-change' });
    deliver();
    const [message, ...others] = await settled();
    expect(others).toEqual([]);
    expect(message).toMatchObject({ channel: 'SMS', to: to.contact, text: expect.stringContaining('new phone') });
    expect(message?.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not sent if its code is replaced, expired, spent or erased, which is not a failure', async () => {
    const { codes, clock, queued, stores, deliver, settled, deadLetters } = setUp();
    const ofOwner = (owner: string, userId = owner) => ({ ...codeRequest, owner, to: { ...ana, userId } });
    await codes.issue(ofOwner('replaced'));
    await codes.issue(ofOwner('spent'));
    for (const n of times(codeLimits.triesOfAll))
      await expectRefused(codes.redeem('spent', 'wrong', ALL_PURPOSES, { address: `192.0.2.${n}` }));
    await codes.issue(ofOwner('expired'));
    await queued();
    clock.pass(codeLimits.waitMs);
    await codes.issue(ofOwner('replaced'));
    await codes.issue(ofOwner('erased'));
    await queued();
    expect(await stores.vault.removeSubject('erased')).toBe(1);
    deliver();
    expect(await settled()).toHaveLength(1);
    expect(await deadLetters()).toEqual([]);
  });

  it('does not stay in the outbox if its person is erased while it is being written', async () => {
    const { codes, stores, settled } = setUp();
    const directory = temporaryDirectory();
    const outbox = new OutboxNotifier(directory);
    const erased = async (): Promise<void> => {
      expect(await stores.vault.removeSubject(ana.userId)).toBe(1);
      await outbox.removeTo(ana.userId);
    };
    const inbox = new Inbox(async (message) => {
      await erased();
      await outbox.send(message, new AbortController().signal);
    });
    await codes.issue(codeRequest);
    startDelivering(stores, inbox, { outbox });
    await settled();
    expect([inbox.messages.length, readdirSync(directory)]).toEqual([1, []]);
  });

  it('is retried until it is accepted, and each failure is reported', async () => {
    const { codes, stores, settled, deadLetters } = setUp();
    let failures = 2;
    const inbox = new Inbox(async () => {
      failures -= 1;
      if (failures >= 0) throw new NotSent('not now');
    });
    const warn = vi.fn();
    startDelivering(stores, inbox, { log: { warn } });
    await codes.issue(codeRequest);
    await settled();
    expect(inbox.messages).toHaveLength(1);
    expect(warn.mock.calls.map(([{ err, attempt }]) => [err.message, attempt])).toEqual([
      ['not now', 1],
      ['not now', 2],
    ]);
    expect(await deadLetters()).toEqual([]);
  });

  it.each(['550', '551', '554'])(
    'becomes a dead letter at once if it is refused permanently with %s',
    async (reply) => {
      const { codes, clock, stores, settled, deadLetters, redeem } = setUp();
      const refused: Message[] = [];
      const inbox = new Inbox(async (message) => {
        refused.push(message);
        throw new Final(reply);
      });
      const warn = vi.fn();
      const issuedAt = clock.now();
      startDelivering(stores, inbox, { log: { warn }, now: clock.now });
      await codes.issue(codeRequest);
      await settled();
      expect(await deadLetters()).toMatchObject([{ attempt: 1, reason: reply }]);
      expect(warn.mock.calls).toEqual([
        [{ err: new Final(reply), message: refused[0]?.id, attempt: 1 }, expect.stringContaining('will not retry')],
      ]);
      expect(refused).toMatchObject([{ writtenAt: issuedAt }]);
      // The code stays as it is, and the user may ask for another.
      expect(await redeem(codeIn(first(refused)))).toMatchObject({ userId: ana.userId });
    },
  );

  it('becomes a dead letter without the contact if it is never accepted, and a late retry sends nothing', async () => {
    const { codes, stores, clock, deliver, settled, deadLetters } = setUp();
    startDelivering(stores, new Inbox(() => Promise.reject(new NotSent('refused'))));
    await codes.issue(codeRequest);
    await settled();
    const letters = await deadLetters();
    expect(letters).toMatchObject([{ attempt: 3, reason: 'refused', data: { language: 'pt' } }]);
    expect(JSON.stringify(letters)).not.toContain(ana.contact);
    clock.pass(codeLimits.waitMs);
    expect(await stores.work.retry(NOTIFICATION_QUEUE, letters[0]?.id ?? '')).toBe(true);
    deliver();
    expect(await settled()).toEqual([]);
  });

  it('becomes a dead letter if its code expires during the attempts', async () => {
    const { codes, queued, stores, settled, deadLetters } = setUp();
    const clock = new Clock();
    const inbox = new Inbox(async () => {
      // The code is issued a moment after this clock begins.
      clock.pass(codeLimits.waitMs / 2 + MINUTE_MS);
      throw new NotSent('not now');
    });
    await codes.issue(codeRequest);
    await queued();
    startDelivering(stores, inbox, { now: clock.now });
    await settled();
    expect(await deadLetters()).toMatchObject([{ attempt: 3, reason: expect.stringContaining('expired') }]);
  });

  it('is sent only once, even if its job is stored again after it was done', async () => {
    const { codes, stores, deliver, settled, redeem, received } = setUp();
    const enqueue = vi.spyOn(stores.work, 'enqueue');
    deliver();
    await codes.issue(codeRequest);
    await settled();
    for (const [job] of enqueue.mock.calls.slice()) await stores.work.enqueue(job);
    expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(1);
    expect(await settled()).toHaveLength(1);
    expect(await redeem(await received(1))).toMatchObject({ userId: ana.userId });
  });

  it('belongs to the current user of its owner, and to no previous user', async () => {
    const { codes, stores, deliver, settled } = setUp();
    await codes.issue(codeRequest);
    await codes.issue({ ...codeRequest, purpose: 'password-reset', to: { userId: 'bia', contact: 'bia@example.org' } });
    deliver();
    expect((await settled()).map(({ to }) => to)).toEqual(['bia@example.org']);
    expect(await stores.vault.removeSubject(ana.userId)).toBe(0);
    expect(await stores.vault.removeSubject('bia')).toBe(1);
  });
});
