// Tests what the check of the streams finds in a damaged log.
import { describe, expect, it, vi } from 'vitest';
import { streamsWhole } from '../../src/operations/check-streams.js';
import { newEvents, newStream } from '../infrastructure/facts/support/harness.js';
import { openSealed } from '../infrastructure/sealing/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { damage } from './stores.js';
import { surveyed } from './surveyed.js';

/** Records two streams of four events each, damages the log and runs the check. */
const checked = async (damages?: (stream: string) => string) => {
  const directory = temporaryDirectory();
  const stores = openSealed(directory);
  const facts = stores.stored;
  const [stream, other] = [newStream('protocol'), newStream('institution')];
  for (const name of [stream, other]) await facts.append(name, 'no-stream', newEvents(4));
  await facts.append(newStream('foreign'), 'no-stream', newEvents(1));
  if (damages !== undefined) damage(directory, damages(stream));
  return { stream, result: await surveyed(streamsWhole, stores) };
};

const timed = (stream: string, revision: number, at: string) =>
  `UPDATE events SET metadata = json_set(metadata, '$.at', '${at}')
   WHERE stream = '${stream}' AND revision = ${revision}`;

describe('the check of the streams', () => {
  it('counts the events of our streams', async () => {
    const { result } = await checked();
    expect(result).toEqual({ ok: true, summary: '8 events in 2 streams' });
  });

  it('accepts an empty log', async () => {
    expect(await surveyed(streamsWhole, openSealed(temporaryDirectory()))).toMatchObject({ ok: true });
  });

  it.each<{ what: string; damages: (stream: string) => string; found: RegExp }>([
    {
      what: 'a missing event in the middle of a stream',
      damages: (stream) => `DELETE FROM events WHERE stream = '${stream}' AND revision = 2`,
      found: /continues at revision 3, not 2/,
    },
    {
      what: 'a stream without its first event',
      damages: (stream) => `DELETE FROM events WHERE stream = '${stream}' AND revision = 0`,
      found: /continues at revision 1, not 0/,
    },
    {
      what: 'an event id that occurs twice in a stream',
      damages: (stream) =>
        `UPDATE events SET id = (SELECT id FROM events WHERE stream = '${stream}' AND revision = 1)
         WHERE stream = '${stream}' AND revision = 3`,
      found: /twice, again at revision 3/,
    },
    {
      what: 'revisions that are not in the order of the log',
      damages: (stream) =>
        `UPDATE events SET revision = 9 WHERE stream = '${stream}' AND revision = 1;
         UPDATE events SET revision = 1 WHERE stream = '${stream}' AND revision = 2;
         UPDATE events SET revision = 2 WHERE stream = '${stream}' AND revision = 9;`,
      found: /continues at revision 2, not 1/,
    },
    {
      what: 'a time that goes back',
      damages: (stream) => timed(stream, 2, '1999-12-31T23:59:59.999Z'),
      found: /goes back to the time 1999-12-31T23:59:59\.999Z at revision 2/,
    },
    {
      what: 'an invalid time',
      damages: (stream) => timed(stream, 3, 'never'),
      found: /goes back to the time never at revision 3/,
    },
  ])('finds $what', async ({ damages, found }) => {
    const { stream, result } = await checked(damages);
    expect(result.ok).toBe(false);
    expect(result.summary).toMatch(found);
    expect(result.summary).toContain(stream);
  });

  it('finds the same faults with little memory, by reading the log several times', async () => {
    const directory = temporaryDirectory();
    const stores = openSealed(directory);
    for (let n = 0; n < 60; n += 1) await stores.stored.append(newStream('protocol'), 'no-stream', newEvents(3));
    damage(directory, 'DELETE FROM events WHERE revision = 1 AND position % 2 = 0');
    const whole = await surveyed(streamsWhole, stores);
    expect(whole.summary).toContain('30 faults');
    const readings = vi.spyOn(stores.stored, 'readLog');
    const { ok, summary } = await surveyed(streamsWhole, stores, 20_000);
    const fromTheStart = readings.mock.calls.filter(([{ after }]) => after === undefined);
    expect(fromTheStart.length).toBeGreaterThan(2);
    expect([ok, summary.split(':')[0]]).toEqual([false, whole.summary.split(':')[0]]);
  });

  it('names a few of many faults and counts all of them', async () => {
    const directory = temporaryDirectory();
    const stores = openSealed(directory);
    const facts = stores.stored;
    for (let n = 0; n < 9; n += 1) await facts.append(newStream('protocol'), 'no-stream', newEvents(3));
    damage(directory, 'DELETE FROM events WHERE revision = 1');
    const { ok, summary } = await surveyed(streamsWhole, stores);
    expect(ok).toBe(false);
    expect(summary).toContain('9 faults');
    expect(summary.match(/continues at/g)).toHaveLength(5);
  });
});
