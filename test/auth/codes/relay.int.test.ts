// The relay on embedded stores: every message in the vault reaches the queue, even after a failure of its process or
// the queue.
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
  ALL_PURPOSES,
  ana,
  codeIn,
  codeRequest,
  codesOn,
  Inbox,
  MINUTE_MS,
  refusalOf,
  startDelivering,
  startRelay,
} from './codes-harness.js';

/** Returns stores, and the codes of a process without a running relay. */
const setUp = () => {
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
  it('names no contact and no code, and is erased with the person', async () => {
    const { codes, stores } = setUp();
    await codes.issue(codeRequest);
    const unsent = await unsentAfter(stores.vault, undefined, 10);
    expect(unsent.map(({ value }) => Object.keys(value).toSorted())).toEqual([['issuedAt', 'language', 'record']]);
    expect(JSON.stringify(unsent)).not.toContain(ana.contact);
    await stores.vault.removeSubject(ana.userId);
    expect(await countUnsent(stores.vault)).toBe(0);
  });

  it('is sent by the relay of another process, together with all waiting messages', async () => {
    const { codes, stores, queued, inbox, done } = setUp();
    const owners = numbered(150, (n) => `owner ${n}`);
    for (const owner of owners)
      await codes.issue({ ...codeRequest, owner, to: { ...ana, contact: owner }, address: owner });
    expect(await countUnsent(stores.vault)).toBe(owners.length);
    startRelay(stores);
    await queued();
    startDelivering(stores, inbox);
    await done();
    expect(inbox.messages.map(({ to }) => to).toSorted()).toEqual(owners.toSorted());
  });

  it('is sent only once, even if the relay cannot record that it is in the queue', async () => {
    const { codes, stores, queued, inbox, done } = setUp();
    await codes.issue(codeRequest);
    startDelivering(stores, inbox);
    const sent = () => eventually(() => expect(inbox.messages).toHaveLength(1));
    const remove = vi.spyOn(stores.vault, 'remove').mockImplementationOnce(async () => {
      await sent();
      throw new StoreUnavailable('the vault', 'it is unavailable');
    });
    startRelay(stores);
    await sent();
    await queued();
    await done();
    expect(remove).toHaveBeenCalledTimes(2);
    expect(inbox.messages).toHaveLength(1);
  });

  it('stays until its code is stored, and is removed if its request never stored the code', async () => {
    const { codes, stores, clock, queued, done } = setUp();
    const issuedAt = clock.now();
    await stores.vault.insert(entryOfUnsent('0', { record: 'none', language: 'en', issuedAt }, null));
    await codes.issue(codeRequest);
    startRelay(stores, clock);
    await eventually(async () => expect(await countUnsent(stores.vault)).toBe(1));
    expect(first(await unsentAfter(stores.vault, undefined, 10)).key).toBe('0');
    clock.pass(MINUTE_MS);
    await queued();
    startDelivering(stores, new Inbox());
    await done();
  });
});

describe('a code whose message waited', () => {
  it('is valid for ten minutes after its message is queued', async () => {
    const { codes, stores, clock, queued, inbox, done } = setUp();
    await codes.issue(codeRequest);
    clock.pass(30 * MINUTE_MS);
    startRelay(stores, clock);
    await queued();
    startDelivering(stores, inbox, { now: clock.now });
    await done();
    const message = first(inbox.messages);
    expect(message.text).toMatch(/\b10 minutos\b/);
    clock.pass(codeLimits.lifeMs - 1);
    expect(await codes.redeem(codeRequest.owner, codeIn(message), ALL_PURPOSES)).toMatchObject({ userId: ana.userId });
  });

  it('is not valid for longer than ten minutes after its message is queued', async () => {
    const { codes, stores, clock, queued, inbox, done } = setUp();
    await codes.issue(codeRequest);
    clock.pass(30 * MINUTE_MS);
    startRelay(stores, clock);
    await queued();
    startDelivering(stores, inbox, { now: clock.now });
    await done();
    clock.pass(codeLimits.lifeMs);
    expect(await refusalOf(codes.redeem(codeRequest.owner, codeIn(first(inbox.messages)), ALL_PURPOSES))).toBe(
      'code-refused',
    );
  });

  it('is not sent if it waited for too long, and the failure is reported', async () => {
    const { codes, stores, clock, queued, inbox, done } = setUp();
    await codes.issue(codeRequest);
    const { key: id } = first(await unsentAfter(stores.vault, undefined, 10));
    clock.pass(codeLimits.windowMs);
    const onLate = vi.fn();
    startRelay(stores, clock, { onLate });
    await queued();
    startDelivering(stores, inbox, { now: clock.now });
    await done();
    expect(inbox.messages).toEqual([]);
    expect(onLate.mock.calls).toEqual([[id]]);
  });
});

describe('a relay whose queue is unavailable', () => {
  it('reports the outage once, however often it tries and is woken, and reports the next outage again', async () => {
    const { codes, stores, clock, queued } = setUp();
    const { store: work, setUnavailable } = switchable(stores.work);
    const enqueue = vi.fn((job: Parameters<typeof work.enqueue>[0]) => work.enqueue(job));
    const onFailure = vi.fn();
    const watchedStores = { ...stores, work: Object.assign(Object.create(stores.work), { enqueue }) };
    const relay = startRelay(watchedStores, clock, { onFailure });
    for (const outage of [1, 2]) {
      setUnavailable(true);
      await codes.issue({ ...codeRequest, owner: `owner ${outage}` });
      const before = enqueue.mock.calls.length;
      await eventually(() => {
        relay.wake();
        expect(enqueue.mock.calls.length).toBeGreaterThan(before + 1);
      });
      expect(onFailure).toHaveBeenCalledTimes(outage);
      setUnavailable(false);
      await queued();
    }
  });
});
