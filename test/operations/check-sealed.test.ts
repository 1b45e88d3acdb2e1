import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { written } from '../infrastructure/facts/support/harness.js';
import { openSealed, registered, rejected } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { memoryStores } from '../support/opened-stores.js';
import { alterSealedIn } from './support/stores.js';
import { surveyed } from './support/surveyed.js';

const withUsers = async (count: number) => {
  const directory = temporaryDirectory();
  const opened = openSealed(directory);
  const streams = Array.from({ length: count }, () => `user-${randomUUID()}`);
  const rejections = streams.map(() => rejected('reason'));
  for (const [n, stream] of streams.entries()) {
    const events = [registered(), rejections[n] ?? rejected(null), rejected(null)];
    written(await opened.facts.append(stream, 'no-stream', events));
  }
  return { ...opened, log: memoryStores(directory), rejections, streams, check: () => surveyed('sealed', opened) };
};

describe('the check of sealed fields', () => {
  it('finds nothing in an intact log', async () => {
    const { check } = await withUsers(3);
    expect(await check()).toMatchObject({ ok: true, summary: expect.stringContaining('9 events') });
  });

  it('names the first events that do not open and counts all of them', async () => {
    const { check, log, rejections, streams } = await withUsers(7);
    for (const stream of streams) alterSealedIn(log, stream, 1);
    const { ok, summary } = await check();
    expect(ok).toBe(false);
    expect(summary).toContain('7 of 21 events');
    const named = streams.filter((stream, at) =>
      summary.includes(`${stream}, revision 1, event ${rejections[at]?.id}`),
    );
    expect(named).toHaveLength(5);
  });

  it('finds an unknown sealing format', async () => {
    const { check, log, streams } = await withUsers(1);
    alterSealedIn(log, streams[0] ?? '', 0, (sealed) => `CQ${sealed.slice(2)}`);
    expect(await check()).toMatchObject({ ok: false, summary: expect.stringContaining(streams[0] ?? '') });
  });

  it('finds a personal field that is not sealed, with and without a key of the person', async () => {
    const { check, stored, streams } = await withUsers(1);
    const [stream = ''] = streams;
    const forged = rejected('forged');
    const keyless = registered();
    written(await stored.append(stream, 2, [forged]));
    written(await stored.append(`user-${randomUUID()}`, 'no-stream', [keyless]));
    const { ok, summary } = await check();
    expect(ok).toBe(false);
    expect(summary).toContain('2 of 5 events');
    for (const { id } of [forged, keyless]) expect(summary).toContain(id);
  });

  it('ignores erased persons', async () => {
    const { check, log, streams, vault } = await withUsers(2);
    const [stream = ''] = streams;
    alterSealedIn(log, stream, 0);
    await vault.removeSubject(stream.slice('user-'.length));
    expect(await check()).toMatchObject({ ok: true });
  });
});
