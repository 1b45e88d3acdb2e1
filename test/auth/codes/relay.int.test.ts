// The relay on embedded stores: what waits in the vault comes to the queue, whatever happened to its process or the queue.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import { countUnsent, entryOfUnsent, unsentAfter } from '../../../src/auth/codes/unsent-codes.js';
import { codeLimits } from '../../../src/auth/codes/vault-codes.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { first, numbered } from '../../http/samples.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { Clock, switchable } from '../auth-harness.js';
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
  relaying,
} from './codes-harness.js';

/** Stores, and the codes of a process whose relay does not run. */
const opened = () => {
  const directory = temporaryDirectory();
  const stores = { vault: new SqliteVault(directory), work: new SqliteWork(directory) };
  onTestFinished(() => stores.vault.close());
  onTestFinished(() => stores.work.close());
  const inbox = new Inbox();
  const clock = new Clock();
  const done = () => eventually(async () => expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(0));
  return { ...codesOn(stores, clock, () => {}), stores, clock, inbox, done };
};

describe('a message that waits in the vault', () => {
  it('names no contact and no code, and is erased with its person', async () => {
    const { codes, stores } = opened();
    await codes.issue(asked);
    const unsent = await unsentAfter(stores.vault, undefined, 10);
    expect(unsent.map(({ value }) => Object.keys(value).toSorted())).toEqual([['issuedAt', 'language', 'record']]);
    expect(JSON.stringify(unsent)).not.toContain(ana.contact);
    await stores.vault.removeSubject(ana.userId);
    expect(await countUnsent(stores.vault)).toBe(0);
  });

  it('is sent by the relay of another process, with all that wait there', async () => {
    const { codes, stores, queued, inbox, done } = opened();
    const owners = numbered(150, (n) => `owner ${n}`);
    for (const owner of owners) await codes.issue({ ...asked, owner, to: { ...ana, contact: owner }, address: owner });
    expect(await countUnsent(stores.vault)).toBe(owners.length);
    relaying(stores);
    await queued();
    delivering(stores, inbox);
    await done();
    expect(inbox.messages.map(({ to }) => to).toSorted()).toEqual(owners.toSorted());
  });

  it('is sent once, also if the relay cannot note that it is in the queue', async () => {
    const { codes, stores, queued, inbox, done } = opened();
    await codes.issue(asked);
    delivering(stores, inbox);
    const sent = () => eventually(() => expect(inbox.messages).toHaveLength(1));
    const remove = vi.spyOn(stores.vault, 'remove').mockImplementationOnce(async () => {
      await sent();
      throw new StoreUnavailable('the vault', 'it is away');
    });
    relaying(stores);
    await sent();
    await queued();
    await done();
    expect(remove).toHaveBeenCalledTimes(2);
    expect(inbox.messages).toHaveLength(1);
  });

  it('stays until its code is stored, and goes if its request never stored the code', async () => {
    const { codes, stores, clock, queued, done } = opened();
    const issuedAt = clock.now();
    await stores.vault.insert(entryOfUnsent('0', { record: 'none', language: 'en', issuedAt }, null));
    await codes.issue(asked);
    relaying(stores, clock);
    await eventually(async () => expect(await countUnsent(stores.vault)).toBe(1));
    expect(first(await unsentAfter(stores.vault, undefined, 10)).key).toBe('0');
    clock.pass(MINUTE_MS);
    await queued();
    delivering(stores, new Inbox());
    await done();
  });
});

describe('a code whose message waited', () => {
  it('is good for ten minutes from when its message is in the queue', async () => {
    const { codes, stores, clock, queued, inbox, done } = opened();
    await codes.issue(asked);
    clock.pass(30 * MINUTE_MS);
    relaying(stores, clock);
    await queued();
    delivering(stores, inbox, { now: clock.now });
    await done();
    const message = first(inbox.messages);
    expect(message.text).toMatch(/\b10 minutos\b/);
    clock.pass(codeLimits.lifeMs - 1);
    expect(await codes.redeem(asked.owner, codeIn(message), ALL)).toMatchObject({ userId: ana.userId });
  });

  it('is good for no longer than that', async () => {
    const { codes, stores, clock, queued, inbox, done } = opened();
    await codes.issue(asked);
    clock.pass(30 * MINUTE_MS);
    relaying(stores, clock);
    await queued();
    delivering(stores, inbox, { now: clock.now });
    await done();
    clock.pass(codeLimits.lifeMs);
    expect(await refusalOf(codes.redeem(asked.owner, codeIn(first(inbox.messages)), ALL))).toBe('code-refused');
  });

  it('is not sent after it waited for too long, and the failure is reported', async () => {
    const { codes, stores, clock, queued, inbox, done } = opened();
    await codes.issue(asked);
    const { key: id } = first(await unsentAfter(stores.vault, undefined, 10));
    clock.pass(codeLimits.windowMs);
    const onLate = vi.fn();
    relaying(stores, clock, { onLate });
    await queued();
    delivering(stores, inbox, { now: clock.now });
    await done();
    expect(inbox.messages).toEqual([]);
    expect(onLate.mock.calls).toEqual([[id]]);
  });
});

describe('a relay whose queue is away', () => {
  it('tells so once, however often it tries and is woken, and again in the next outage', async () => {
    const { codes, stores, clock, queued } = opened();
    const { store: work, away } = switchable(stores.work);
    const enqueue = vi.fn((job: Parameters<typeof work.enqueue>[0]) => work.enqueue(job));
    const onFailure = vi.fn();
    const watched = { ...stores, work: Object.assign(Object.create(stores.work), { enqueue }) };
    const relay = relaying(watched, clock, { onFailure });
    for (const outage of [1, 2]) {
      away(true);
      await codes.issue({ ...asked, owner: `owner ${outage}` });
      const before = enqueue.mock.calls.length;
      await eventually(() => {
        relay.wake();
        expect(enqueue.mock.calls.length).toBeGreaterThan(before + 1);
      });
      expect(onFailure).toHaveBeenCalledTimes(outage);
      away(false);
      await queued();
    }
  });
});
