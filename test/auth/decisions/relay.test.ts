// The messages about decisions that wait in the vault reach their queue.
import { describe, expect, it, vi } from 'vitest';
import { countUnqueued } from '../../../src/auth/codes/waiting-messages.js';
import { DECISION_QUEUE, movePromises } from '../../../src/auth/decisions/messages.js';
import { countPromises, entryOfPromise } from '../../../src/auth/decisions/promises.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { eventually } from '../../support/eventually.js';
import { ana, newStores, relayOn, type Stores } from '../codes/support/codes-harness.js';

const waiting = ({ vault }: Stores): Promise<number> => countPromises(vault);
const { userId } = ana;

describe('a message about a decision', () => {
  it('becomes a job that starts two minutes after the message was stored, once, and counts as no code', async () => {
    const stores = newStores();
    const at = Date.now();
    await stores.vault.insert(entryOfPromise('decision-1', { userId, at }));
    expect([await countUnqueued(stores.vault), await countPromises(stores.vault)]).toEqual([0, 1]);
    const enqueue = vi.spyOn(stores.work, 'enqueue');
    await Promise.all([movePromises(stores), movePromises(stores)]);
    const data = { userId, decision: 'decision-1' };
    expect(enqueue).toHaveBeenCalledWith({ queue: DECISION_QUEUE, id: 'decision-1', data, runAt: at + 120_000 });
    expect([await stores.work.pending(DECISION_QUEUE), await waiting(stores)]).toEqual([1, 0]);
  });

  it('is moved by the relay of any process', async () => {
    const stores = newStores();
    await stores.vault.insert(entryOfPromise('decision-1', { userId, at: Date.now() }));
    relayOn(stores);
    await eventually(async () => expect(await waiting(stores)).toBe(0));
  });

  it('stays in the vault while the queue is unavailable, and is erased with the person', async () => {
    const stores = newStores();
    await stores.vault.insert(entryOfPromise('decision-1', { userId, at: Date.now() }));
    const away = new StoreUnavailable('the job queues', 'they are unavailable');
    vi.spyOn(stores.work, 'enqueue').mockRejectedValue(away);
    await expect(movePromises(stores)).rejects.toBe(away);
    expect(await waiting(stores)).toBe(1);
    await stores.vault.removeSubject(userId);
    expect(await waiting(stores)).toBe(0);
  });
});
