// Tests what the check of the streams finds in a damaged log.
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { newEvents, newStream } from '../infrastructure/facts/support/harness.js';
import { openSealed } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { memoryStores } from '../support/opened-stores.js';
import { surveyed } from './support/surveyed.js';

/** Records two streams of four events each, damages the log and runs the check. */
const checked = async (damage: (events: readonly RecordedEvent[]) => readonly RecordedEvent[] = (events) => events) => {
  const directory = temporaryDirectory();
  const stores = openSealed(directory);
  const facts = stores.stored;
  const [stream, other] = [newStream('protocol'), newStream('institution')];
  for (const name of [stream, other]) await facts.append(name, 'no-stream', newEvents(4));
  await facts.append(newStream('foreign'), 'no-stream', newEvents(1));
  memoryStores(directory).facts.alter((log) => [
    ...damage(log.filter((event) => event.stream === stream)),
    ...log.filter((event) => event.stream !== stream),
  ]);
  return { stream, result: await surveyed('streams', stores) };
};

const timed = (revision: number, at: string) => (events: readonly RecordedEvent[]) =>
  events.map((event) => (event.revision === revision ? { ...event, metadata: { ...event.metadata, at } } : event));

describe('the check of the streams', () => {
  it('counts the events of our streams', async () => {
    const { result } = await checked();
    expect(result).toEqual({ ok: true, summary: '8 events in 2 streams' });
  });

  it('accepts an empty log', async () => {
    expect(await surveyed('streams', openSealed(temporaryDirectory()))).toMatchObject({ ok: true });
  });

  it.each<[string, Parameters<typeof checked>[0], RegExp]>([
    ['a missing event in the middle of a stream', (events) => events.toSpliced(2, 1), /continues at revision 3, not 2/],
    ['a stream without its first event', (events) => events.slice(1), /continues at revision 1, not 0/],
    [
      'an event id that occurs twice in a stream',
      (events) => events.map((event) => (event.revision === 3 ? { ...event, id: events[1]?.id ?? '' } : event)),
      /twice, again at revision 3/,
    ],
    [
      'revisions that are not in the order of the log',
      (events) => events.map((event, n) => ({ ...event, revision: [0, 2, 1, 3][n] ?? 0 })),
      /continues at revision 2, not 1/,
    ],
    [
      'a time that goes back',
      timed(2, '1999-12-31T23:59:59.999Z'),
      /goes back to the time 1999-12-31T23:59:59\.999Z at revision 2/,
    ],
    ['an invalid time', timed(3, 'never'), /goes back to the time never at revision 3/],
  ])('finds %s', async (_, damage, found) => {
    const { stream, result } = await checked(damage);
    expect(result.ok).toBe(false);
    expect(result.summary).toMatch(found);
    expect(result.summary).toContain(stream);
  });

  it('finds only the repeated ids of one stream, in any place of a long log', async () => {
    const stores = openSealed(temporaryDirectory());
    const events = newEvents(1_200);
    const [first = '', second = ''] = [newStream('protocol'), newStream('protocol')];
    await stores.stored.append(first, 'no-stream', events);
    // The same ids in another stream are not repeated.
    await stores.stored.append(second, 'no-stream', events.slice(0, 700));
    expect(await surveyed('streams', stores)).toMatchObject({ ok: true });
    await stores.stored.append(first, 1_199, [...newEvents(1), ...events.slice(4, 6)]);
    const { ok, summary } = await surveyed('streams', stores);
    expect([ok, summary.match(/\d+ faults/)?.[0]]).toEqual([false, '2 faults']);
    for (const revision of [1_201, 1_202]) expect(summary).toContain(`twice, again at revision ${revision}`);
  });

  it('names a few of many faults and counts all of them', async () => {
    const directory = temporaryDirectory();
    const stores = openSealed(directory);
    const facts = stores.stored;
    for (let n = 0; n < 9; n += 1) await facts.append(newStream('protocol'), 'no-stream', newEvents(3));
    memoryStores(directory).facts.alter((log) => log.filter(({ revision }) => revision !== 1));
    const { ok, summary } = await surveyed('streams', stores);
    expect(ok).toBe(false);
    expect(summary).toContain('9 faults');
    expect(summary.match(/continues at/g)).toHaveLength(5);
  });
});
