// Tests what the check of the streams finds in a damaged log.
import { describe, expect, it } from 'vitest';
import { newEvents, newStream } from '../infrastructure/facts/support/harness.js';
import { openSealed } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { damage } from './support/stores.js';
import { surveyed } from './support/surveyed.js';

/** Records two streams of four events each, damages the log and runs the check. */
const checked = async (damages?: (stream: string) => string) => {
  const directory = temporaryDirectory();
  const stores = openSealed(directory);
  const facts = stores.stored;
  const [stream, other] = [newStream('protocol'), newStream('institution')];
  for (const name of [stream, other]) await facts.append(name, 'no-stream', newEvents(4));
  await facts.append(newStream('foreign'), 'no-stream', newEvents(1));
  if (damages !== undefined) damage(directory, damages(stream));
  return { stream, result: await surveyed('streams', stores) };
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
    expect(await surveyed('streams', openSealed(temporaryDirectory()))).toMatchObject({ ok: true });
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
    damage(directory, 'DELETE FROM events WHERE revision = 1');
    const { ok, summary } = await surveyed('streams', stores);
    expect(ok).toBe(false);
    expect(summary).toContain('9 faults');
    expect(summary.match(/continues at/g)).toHaveLength(5);
  });
});
