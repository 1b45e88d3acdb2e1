// The relay: every message in the vault reaches the queue, even after a failure of its process or the queue.
import { describe, expect, it, vi } from 'vitest';
import { changeCode } from '../../src/auth/codes/code-records.js';
import { NOTIFICATION_QUEUE } from '../../src/auth/codes/deliveries.js';
import { codeLimits } from '../../src/auth/codes/limits.js';
import type { Purpose } from '../../src/auth/codes/texts.js';
import { type CodeMessage, countUnqueued, entryOfMessage } from '../../src/auth/codes/waiting-messages.js';
import { issueNotices, moveCodes } from '../../src/auth/relay.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { numbered } from '../http/support/samples.js';
import { intercepted } from '../projections/support/intercepted.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import {
  ana,
  codeFixture,
  codeRequest,
  MINUTE_MS,
  messagesIn,
  newStores,
  relayOn,
  type Stores,
} from './codes/support/codes-harness.js';
import { type Clock, switchable } from './support/auth-harness.js';

const notice = { purpose: 'email-change', userId: ana.userId, language: 'en' } as const;

/** Returns the codes of a process without a running relay. */
const setUp = () => codeFixture(newStores(), undefined, () => {});

/** Returns what one run of a relay needs. */
const relayParts = (stores: Stores, { now }: Clock, notify: () => Promise<void>) => ({
  ...{ vault: stores.vault, work: stores.work, notify, now, log: { warn: () => {} } },
});

describe('a message that waits in the vault', () => {
  it('names no contact and no code, and is erased with the person', async () => {
    const { codes, stores } = setUp();
    await codes.issue(codeRequest);
    const unsent = await messagesIn(stores.vault);
    expect(unsent.map(({ value }) => Object.keys(value).toSorted())).toEqual([['at', 'language', 'record']]);
    expect(JSON.stringify(unsent)).not.toContain(ana.contact);
    await stores.vault.removeSubject(ana.userId);
    expect(await countUnqueued(stores.vault)).toBe(0);
  });

  it('is sent by the relay of another process, together with all waiting messages', async () => {
    const { codes, stores, queued, inbox, deliver, settled } = setUp();
    const owners = numbered(150, (n) => `owner ${n}`);
    for (const owner of owners)
      await codes.issue({ ...codeRequest, owner, to: { ...ana, contact: owner }, address: owner });
    expect(await countUnqueued(stores.vault)).toBe(owners.length);
    relayOn(stores);
    await queued();
    deliver();
    await settled();
    expect(inbox.messages.map(({ to }) => to).toSorted()).toEqual(owners.toSorted());
  });

  it('is sent only once, even if the relay cannot record that it is in the queue', async () => {
    const { codes, stores, queued, inbox, deliver, settled } = setUp();
    await codes.issue(codeRequest);
    deliver();
    const sent = () => eventually(() => expect(inbox.messages).toHaveLength(1));
    const remove = vi.spyOn(stores.vault, 'remove').mockImplementationOnce(async () => {
      await sent();
      throw new StoreUnavailable('the vault', 'it is unavailable');
    });
    relayOn(stores);
    await sent();
    await queued();
    await settled();
    expect(remove).toHaveBeenCalledTimes(2);
    expect(inbox.messages).toHaveLength(1);
  });

  it('stays until its code is stored, and is removed if its request never stored the code', async () => {
    const { codes, stores, clock, queued, deliver, settled } = setUp();
    await stores.vault.insert(entryOfMessage('0', { record: 'none', language: 'en', at: clock.now() }, null));
    await codes.issue(codeRequest);
    relayOn(stores, clock);
    await eventually(async () => expect(await countUnqueued(stores.vault)).toBe(1));
    expect(first(await messagesIn(stores.vault)).key).toBe('0');
    clock.pass(MINUTE_MS);
    await queued();
    deliver();
    await settled();
  });
});

describe('a notice whose request was interrupted', () => {
  it('has its codes issued again after a minute if that fails, and holds up no code', async () => {
    const { codes, stores, clock, queued } = setUp();
    for (const _ of numbered(3, () => notice)) await codes.keepNotice(notice);
    clock.pass(MINUTE_MS);
    await codes.issue(codeRequest);
    const outage = new StoreUnavailable('the facts', 'they are unavailable');
    const notify = vi.fn(() => Promise.reject(outage));
    const warn = vi.fn();
    relayOn(stores, clock, { notify, log: { warn } });
    await queued();
    await eventually(() => expect(notify).toHaveBeenCalledTimes(3));
    expect(warn.mock.calls).toEqual([[{ err: outage }, expect.any(String)]]);
    expect(await messagesIn(stores.vault)).toHaveLength(3);
    notify.mockResolvedValue(undefined as never);
    clock.pass(MINUTE_MS);
    await eventually(async () => expect(await messagesIn(stores.vault)).toEqual([]));
    expect(notify).toHaveBeenCalledTimes(6);
  });

  it('holds up no code while its codes are being issued', async () => {
    const { codes, stores, clock, queued } = setUp();
    await codes.keepNotice(notice);
    clock.pass(MINUTE_MS);
    const notify = vi.fn(() => new Promise(() => {}));
    relayOn(stores, clock, { notify });
    await eventually(() => expect(notify).toHaveBeenCalledTimes(1));
    await codes.issue(codeRequest);
    await queued();
  });

  it('has its codes issued a minute after its request and not before, and codes have none issued', async () => {
    const { codes, stores, clock } = setUp();
    await codes.issue(codeRequest);
    await codes.keepNotice(notice);
    const notify = vi.fn(async () => {});
    const on = relayParts(stores, clock, notify);
    clock.pass(MINUTE_MS - 1);
    await issueNotices(on);
    expect(notify).not.toHaveBeenCalled();
    clock.pass(1);
    await issueNotices(on);
    expect(notify.mock.calls).toMatchObject([[notice]]);
    expect(await countUnqueued(stores.vault)).toBe(1);
  });

  it('has its codes issued by only one of the processes that find it', async () => {
    const { codes, stores, clock } = setUp();
    await codes.keepNotice(notice);
    clock.pass(MINUTE_MS);
    const notify = vi.fn(async () => {});
    // The other process issues the codes after this process has found the notice.
    const vault = intercepted(stores.vault, async (name, _, call) => {
      const found = await call();
      if (name === 'ofKind') await issueNotices(relayParts(stores, clock, notify));
      return found;
    });
    await issueNotices(relayParts({ ...stores, vault }, clock, notify));
    expect(notify).toHaveBeenCalledTimes(1);
  });

  it('is not counted among the messages that wait for the queue', async () => {
    const { codes, stores } = setUp();
    const remove = await codes.keepNotice(notice);
    expect([await countUnqueued(stores.vault), (await messagesIn(stores.vault)).length]).toEqual([0, 1]);
    await remove();
    expect(await messagesIn(stores.vault)).toEqual([]);
  });
});

describe('a code whose message waited', () => {
  it.each<[Purpose, number]>([
    ['activation', codeLimits.waitMs - 1],
    ['account-created', codeLimits.waitMs],
    ['account-created', codeLimits.invitationLifeMs - 1],
  ])('for %s is sent after %i ms', async (purpose, ms) => {
    const { codes, stores, clock, deliver, received } = setUp();
    await codes.issue({ ...codeRequest, purpose });
    clock.pass(ms);
    relayOn(stores, clock);
    deliver();
    expect(await received(1)).not.toBe('none');
  });

  it.each<[Purpose, number]>([
    ['activation', codeLimits.waitMs],
    ['email-changed', codeLimits.waitMs],
    ['account-created', codeLimits.invitationLifeMs],
  ])('for %s is not sent after %i ms, and the failure is reported', async (purpose, ms) => {
    const { codes, stores, clock, queued, inbox, deliver, settled } = setUp();
    await codes.issue({ ...codeRequest, purpose });
    const { key: id } = first(await messagesIn(stores.vault));
    clock.pass(ms);
    const warn = vi.fn();
    relayOn(stores, clock, { log: { warn } });
    await queued();
    deliver();
    await settled();
    expect(inbox.messages).toEqual([]);
    expect(warn.mock.calls).toEqual([[{ message: id }, expect.any(String)]]);
  });
});

describe('a message of a code', () => {
  it.each<[string, { stored?: boolean; sent?: boolean; ms: number }, object]>([
    ['is queued', { ms: 0 }, { queued: 1, late: 0, left: 0 }],
    ['is queued before an hour has passed', { ms: codeLimits.waitMs - 1 }, { queued: 1, late: 0, left: 0 }],
    ['is late after an hour', { ms: codeLimits.waitMs }, { queued: 0, late: 1, left: 0 }],
    ['is not queued again once it was sent', { sent: true, ms: 0 }, { queued: 0, late: 0, left: 0 }],
    ['is not late if it was sent', { sent: true, ms: codeLimits.waitMs }, { queued: 0, late: 0, left: 0 }],
    ['waits for its code', { stored: false, ms: MINUTE_MS - 1 }, { queued: 0, late: 0, left: 1 }],
    ['is removed if there is no code', { stored: false, ms: MINUTE_MS }, { queued: 0, late: 0, left: 0 }],
  ])('%s', async (_, { stored = true, sent: isSent = false, ms }, outcome) => {
    const { codes, stores, clock } = setUp();
    const { vault } = stores;
    if (stored) await codes.issue(codeRequest);
    else await vault.insert(entryOfMessage('0', { record: 'none', language: 'en', at: clock.now() }, null));
    const { key: id, value } = first(await messagesIn(vault));
    const { record } = value as CodeMessage;
    await changeCode(vault, { record, id }, (code) => ({ ...code, isSent }));
    clock.pass(ms);
    const warn = vi.fn();
    await moveCodes({ ...relayParts(stores, clock, async () => {}), log: { warn } });
    const queued = await stores.work.pending(NOTIFICATION_QUEUE);
    expect({ queued, late: warn.mock.calls.length, left: (await messagesIn(vault)).length }).toEqual(outcome);
  });
});

describe('a relay that stops', () => {
  it('leaves the messages and notices that it has not begun to another process', async () => {
    const { codes, stores, clock } = setUp();
    for (const owner of ['one', 'two', 'three']) await codes.issue({ ...codeRequest, owner });
    for (const _ of numbered(3, () => notice)) await codes.keepNotice(notice);
    clock.pass(MINUTE_MS);
    const stopping = [new AbortController(), new AbortController()] as const;
    const notify = vi.fn(async () => stopping[0].abort());
    const enqueue = vi.fn(async () => stopping[1].abort());
    const on = relayParts({ ...stores, work: Object.assign(Object.create(stores.work), { enqueue }) }, clock, notify);
    await issueNotices(on, stopping[0].signal);
    await moveCodes(on, stopping[1].signal);
    expect([notify.mock.calls.length, enqueue.mock.calls.length]).toEqual([1, 1]);
    expect(await messagesIn(stores.vault)).toHaveLength(4);
  });
});

describe('a relay whose queue is unavailable', () => {
  it('reports the outage once, however often it tries and is woken, and reports the next outage again', async () => {
    const { codes, stores, clock, queued } = setUp();
    const { store: work, setUnavailable } = switchable(stores.work);
    const enqueue = vi.fn((job: Parameters<typeof work.enqueue>[0]) => work.enqueue(job));
    const warn = vi.fn();
    const watchedStores = { ...stores, work: Object.assign(Object.create(stores.work), { enqueue }) };
    const wake = relayOn(watchedStores, clock, { log: { warn } });
    for (const outage of [1, 2]) {
      setUnavailable(true);
      await codes.issue({ ...codeRequest, owner: `owner ${outage}` });
      const before = enqueue.mock.calls.length;
      await eventually(() => {
        wake();
        expect(enqueue.mock.calls.length).toBeGreaterThan(before + 1);
      });
      expect(warn).toHaveBeenCalledTimes(outage);
      setUnavailable(false);
      await queued();
    }
  });
});
