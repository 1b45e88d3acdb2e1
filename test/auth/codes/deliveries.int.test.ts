import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../../src/auth/codes/vault-codes.js';
import { type Message, NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { nth } from '../../http/samples.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { Clock } from '../auth-harness.js';
import { ALL, ana, asked, codeIn, codesOn, delivering, Inbox, refusalOf } from './codes-harness.js';

const program = fileURLToPath(new URL('dying-sender.mjs', import.meta.url));

const opened = () => {
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

/** Runs the jobs that wait, and gives what they sent. */
const sent = async ({ stores, clock, done }: ReturnType<typeof opened>): Promise<readonly Message[]> => {
  const inbox = new Inbox();
  delivering(stores, inbox, { now: clock.now });
  await done();
  return inbox.messages;
};

describe('a message with a code', () => {
  it('is in the language and by the channel that were asked for, under the id of the job', async () => {
    const world = opened();
    const to = { userId: 'ana', contact: '+5511987654321' };
    await world.codes.issue({ ...asked, to, channel: 'SMS', language: 'en', purpose: 'phone-change' });
    const [message, ...others] = await sent(world);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ channel: 'SMS', to: to.contact, text: expect.stringContaining('new phone') });
    expect(message?.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not sent where its code is replaced, expired, spent or erased, and that is no failure', async () => {
    const world = opened();
    const { codes, clock, queued, stores, dead } = world;
    const ofOwner = (owner: string, userId = owner) => ({ ...asked, owner, to: { ...ana, userId } });
    await codes.issue(ofOwner('replaced'));
    await codes.issue(ofOwner('spent'));
    for (const n of [1, 2, 3, 4, 5]) await refusalOf(codes.redeem('spent', `wrong ${n}`, ALL));
    await codes.issue(ofOwner('expired'));
    await queued();
    clock.pass(codeLimits.lifeMs);
    await codes.issue(ofOwner('replaced'));
    await codes.issue(ofOwner('erased'));
    await queued();
    expect(await stores.vault.removeSubject('erased')).toBe(1);
    expect(await sent(world)).toHaveLength(1);
    expect(await dead()).toEqual([]);
  });

  it('is retried until it is accepted, and each failure is reported', async () => {
    const { codes, stores, done, dead } = opened();
    let failures = 2;
    const inbox = new Inbox(async () => {
      failures -= 1;
      if (failures >= 0) throw new NotSent('not now');
    });
    const onFailure = vi.fn();
    delivering(stores, inbox, { onFailure });
    await codes.issue(asked);
    await done();
    expect(inbox.messages).toHaveLength(1);
    expect(onFailure.mock.calls.map(([error, { attempt }]) => [error.message, attempt])).toEqual([
      ['not now', 1],
      ['not now', 2],
    ]);
    expect(await dead()).toEqual([]);
  });

  it('is a dead letter where it was never accepted, which names no contact, and sends nothing once it is too late', async () => {
    const world = opened();
    const { codes, stores, clock, done, dead } = world;
    delivering(stores, new Inbox(() => Promise.reject(new NotSent('refused'))));
    await codes.issue(asked);
    await done();
    const letters = await dead();
    expect(letters).toMatchObject([{ attempt: 3, reason: 'refused', data: { language: 'pt' } }]);
    expect(JSON.stringify(letters)).not.toContain(ana.contact);
    clock.pass(codeLimits.lifeMs);
    expect(await stores.work.retry(NOTIFICATION_QUEUE, letters[0]?.id ?? '')).toBe(true);
    expect(await sent(world)).toEqual([]);
  });

  it('is a dead letter where its code expired while it was tried', async () => {
    const { codes, queued, stores, done, dead } = opened();
    const clock = new Clock();
    const inbox = new Inbox(async () => {
      clock.pass(codeLimits.lifeMs);
      throw new NotSent('not now');
    });
    await codes.issue(asked);
    await queued();
    delivering(stores, inbox, { now: clock.now });
    await done();
    expect(await dead()).toMatchObject([{ attempt: 3, reason: expect.stringContaining('expired') }]);
  });

  it('is sent once, also if its job is stored again after it was done', async () => {
    const { codes, stores, done } = opened();
    const enqueue = vi.spyOn(stores.work, 'enqueue');
    const inbox = new Inbox();
    delivering(stores, inbox);
    await codes.issue(asked);
    await done();
    for (const [job] of enqueue.mock.calls.slice()) expect(await stores.work.enqueue(job)).toBe(true);
    await done();
    expect(inbox.messages).toHaveLength(1);
    expect(await codes.redeem(asked.owner, codeIn(nth(inbox.messages, 0)), ALL)).toMatchObject({ userId: ana.userId });
  });

  it('belongs to the user whom its owner names now, and to no previous user', async () => {
    const world = opened();
    const { codes, stores } = world;
    await codes.issue(asked);
    await codes.issue({ ...asked, purpose: 'password-reset', to: { userId: 'bia', contact: 'bia@example.org' } });
    const messages = await sent(world);
    expect(messages.map(({ to }) => to)).toEqual(['bia@example.org']);
    expect(await stores.vault.removeSubject(ana.userId)).toBe(0);
    expect(await stores.vault.removeSubject('bia')).toBe(1);
  });
});

describe('a worker that is killed after it has sent a message, before that is noted', () => {
  it('leaves a job that is done again, and one message', async () => {
    const { codes, directory, queued, stores, done, dead } = opened();
    await codes.issue(asked);
    await queued();
    const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'inherit', 'inherit'] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const outbox = join(directory, 'outbox');
    const files = () => readdirSync(outbox);
    const first = files();
    expect(first).toHaveLength(1);
    expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(1);
    const inbox = new Inbox((message) => new OutboxNotifier(outbox).send(message, new AbortController().signal));
    delivering(stores, inbox);
    await done();
    expect(inbox.messages).toHaveLength(1);
    expect(files()).toEqual(first);
    expect(await dead()).toEqual([]);
    const message = JSON.parse(readFileSync(join(outbox, first[0] ?? ''), 'utf8')) as Message;
    expect(await codes.redeem(asked.owner, codeIn(message), ALL)).toMatchObject({ userId: ana.userId });
  });
});
