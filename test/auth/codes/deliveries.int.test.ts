import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../../src/auth/codes/limits.js';
import { type Message, NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { nth } from '../../http/samples.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { Clock } from '../auth-harness.js';
import { ALL_PURPOSES, ana, codeIn, codeRequest, codesOn, Inbox, refusalOf, startDelivering } from './codes-harness.js';

const program = fileURLToPath(new URL('dying-sender.mjs', import.meta.url));

const setUp = () => {
  const directory = temporaryDirectory();
  const stores = { vault: new SqliteVault(directory), work: new SqliteWork(directory) };
  onTestFinished(() => stores.vault.close());
  onTestFinished(() => stores.work.close());
  const process = codesOn(stores);
  const done = async () => {
    await process.queued();
    await eventually(async () => expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(0));
  };
  const dead = () => stores.work.deadLetters(NOTIFICATION_QUEUE);
  return { ...process, directory, stores, done, dead };
};

/** Runs the waiting jobs, and returns the messages that they send. */
const sent = async ({ stores, clock, done }: ReturnType<typeof setUp>): Promise<readonly Message[]> => {
  const inbox = new Inbox();
  startDelivering(stores, inbox, { now: clock.now });
  await done();
  return inbox.messages;
};

describe('a message with a code', () => {
  it('has the requested language and channel, and the id of the job', async () => {
    const fixture = setUp();
    const to = { userId: 'ana', contact: '+5511987654321' };
    await fixture.codes.issue({ ...codeRequest, to, channel: 'SMS', language: 'en', purpose: 'phone-change' });
    const [message, ...others] = await sent(fixture);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ channel: 'SMS', to: to.contact, text: expect.stringContaining('new phone') });
    expect(message?.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not sent if its code is replaced, expired, spent or erased, which is not a failure', async () => {
    const fixture = setUp();
    const { codes, clock, queued, stores, dead } = fixture;
    const ofOwner = (owner: string, userId = owner) => ({ ...codeRequest, owner, to: { ...ana, userId } });
    await codes.issue(ofOwner('replaced'));
    await codes.issue(ofOwner('spent'));
    for (let n = 0; n < codeLimits.triesOfAll; n += 1)
      await refusalOf(codes.redeem('spent', 'wrong', ALL_PURPOSES, { address: `192.0.2.${n}` }));
    await codes.issue(ofOwner('expired'));
    await queued();
    clock.pass(codeLimits.lifeMs);
    await codes.issue(ofOwner('replaced'));
    await codes.issue(ofOwner('erased'));
    await queued();
    expect(await stores.vault.removeSubject('erased')).toBe(1);
    expect(await sent(fixture)).toHaveLength(1);
    expect(await dead()).toEqual([]);
  });

  it('does not stay in the outbox if its person is erased while it is being written', async () => {
    const { codes, directory, stores, done } = setUp();
    const outbox = new OutboxNotifier(join(directory, 'outbox'));
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
    await done();
    expect([inbox.messages.length, readdirSync(join(directory, 'outbox'))]).toEqual([1, []]);
  });

  it('is retried until it is accepted, and each failure is reported', async () => {
    const { codes, stores, done, dead } = setUp();
    let failures = 2;
    const inbox = new Inbox(async () => {
      failures -= 1;
      if (failures >= 0) throw new NotSent('not now');
    });
    const onFailure = vi.fn();
    startDelivering(stores, inbox, { onFailure });
    await codes.issue(codeRequest);
    await done();
    expect(inbox.messages).toHaveLength(1);
    expect(onFailure.mock.calls.map(([error, { attempt }]) => [error.message, attempt])).toEqual([
      ['not now', 1],
      ['not now', 2],
    ]);
    expect(await dead()).toEqual([]);
  });

  it('becomes a dead letter without the contact if it is never accepted, and a late retry sends nothing', async () => {
    const fixture = setUp();
    const { codes, stores, clock, done, dead } = fixture;
    startDelivering(stores, new Inbox(() => Promise.reject(new NotSent('refused'))));
    await codes.issue(codeRequest);
    await done();
    const letters = await dead();
    expect(letters).toMatchObject([{ attempt: 3, reason: 'refused', data: { language: 'pt' } }]);
    expect(JSON.stringify(letters)).not.toContain(ana.contact);
    clock.pass(codeLimits.lifeMs);
    expect(await stores.work.retry(NOTIFICATION_QUEUE, letters[0]?.id ?? '')).toBe(true);
    expect(await sent(fixture)).toEqual([]);
  });

  it('becomes a dead letter if its code expires during the attempts', async () => {
    const { codes, queued, stores, done, dead } = setUp();
    const clock = new Clock();
    const inbox = new Inbox(async () => {
      clock.pass(codeLimits.lifeMs);
      throw new NotSent('not now');
    });
    await codes.issue(codeRequest);
    await queued();
    startDelivering(stores, inbox, { now: clock.now });
    await done();
    expect(await dead()).toMatchObject([{ attempt: 3, reason: expect.stringContaining('expired') }]);
  });

  it('is sent only once, even if its job is stored again after it was done', async () => {
    const { codes, stores, done } = setUp();
    const enqueue = vi.spyOn(stores.work, 'enqueue');
    const inbox = new Inbox();
    startDelivering(stores, inbox);
    await codes.issue(codeRequest);
    await done();
    for (const [job] of enqueue.mock.calls.slice()) await stores.work.enqueue(job);
    expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(1);
    await done();
    expect(inbox.messages).toHaveLength(1);
    expect(await codes.redeem(codeRequest.owner, codeIn(nth(inbox.messages, 0)), ALL_PURPOSES)).toMatchObject({
      userId: ana.userId,
    });
  });

  it('belongs to the current user of its owner, and to no previous user', async () => {
    const fixture = setUp();
    const { codes, stores } = fixture;
    await codes.issue(codeRequest);
    await codes.issue({ ...codeRequest, purpose: 'password-reset', to: { userId: 'bia', contact: 'bia@example.org' } });
    const messages = await sent(fixture);
    expect(messages.map(({ to }) => to)).toEqual(['bia@example.org']);
    expect(await stores.vault.removeSubject(ana.userId)).toBe(0);
    expect(await stores.vault.removeSubject('bia')).toBe(1);
  });
});

describe('a worker that is killed after sending a message and before completing the job', () => {
  it('leaves a job that runs again, but sends only one message', async () => {
    const { codes, directory, queued, stores, done, dead } = setUp();
    await codes.issue(codeRequest);
    await queued();
    const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'inherit', 'inherit'] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const outbox = join(directory, 'outbox');
    const files = () => readdirSync(outbox);
    const first = files();
    expect(first).toHaveLength(1);
    expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(1);
    const inbox = new Inbox((message) => new OutboxNotifier(outbox).send(message, new AbortController().signal));
    startDelivering(stores, inbox);
    await done();
    expect(inbox.messages).toHaveLength(1);
    expect(files()).toEqual(first);
    expect(await dead()).toEqual([]);
    const message = JSON.parse(readFileSync(join(outbox, first[0] ?? ''), 'utf8')) as Message;
    expect(await codes.redeem(codeRequest.owner, codeIn(message), ALL_PURPOSES)).toMatchObject({ userId: ana.userId });
  });
});
