// What the check of the streams finds in a log that something has damaged.
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { streamsWhole } from '../../src/operations/check-streams.js';
import { newEvents, newStream } from '../infrastructure/facts-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { damage } from './stores.js';

const others = { views: {} as Views, vault: {} as Vault };

/** A log with two streams of four events each, and what the check says of it after a damage. */
const checked = async (damages?: (stream: string) => string) => {
  const directory = temporaryDirectory();
  const facts = new SqliteFacts(directory);
  onTestFinished(() => facts.close());
  const [stream, other] = [newStream('protocol'), newStream('institution')];
  for (const name of [stream, other]) await facts.append(name, 'no-stream', newEvents(4));
  await facts.append(newStream('foreign'), 'no-stream', newEvents(1));
  if (damages !== undefined) damage(directory, damages(stream));
  return { stream, facts, result: await streamsWhole.run({ facts, ...others }) };
};

const timed = (stream: string, revision: number, at: string) =>
  `UPDATE events SET metadata = json_set(metadata, '$.at', '${at}')
   WHERE stream = '${stream}' AND revision = ${revision}`;

describe('the check of the streams', () => {
  it('counts the events of our streams', async () => {
    const { result } = await checked();
    expect(result).toEqual({ ok: true, said: '8 events in 2 streams' });
  });

  it('bears an empty log', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    onTestFinished(() => facts.close());
    expect(await streamsWhole.run({ facts, ...others })).toMatchObject({ ok: true });
  });

  it.each<{ what: string; damages: (stream: string) => string; found: RegExp }>([
    {
      what: 'an event that is gone from the middle of a stream',
      damages: (stream) => `DELETE FROM events WHERE stream = '${stream}' AND revision = 2`,
      found: /goes on at revision 3, not 2/,
    },
    {
      what: 'a stream without its first event',
      damages: (stream) => `DELETE FROM events WHERE stream = '${stream}' AND revision = 0`,
      found: /the log has 7 events, its streams, read from their beginning, 4/,
    },
    {
      what: 'an event id that comes twice in a stream',
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
      found: /goes back to position \d+ at revision 2/,
    },
    {
      what: 'a time that goes back',
      damages: (stream) => timed(stream, 2, '1999-12-31T23:59:59.999Z'),
      found: /goes back to the time 1999-12-31T23:59:59\.999Z at revision 2/,
    },
    {
      what: 'a time that is none',
      damages: (stream) => timed(stream, 3, 'never'),
      found: /goes back to the time never at revision 3/,
    },
  ])('finds $what', async ({ damages, found }) => {
    const { stream, result } = await checked(damages);
    expect(result.ok).toBe(false);
    expect(result.said).toMatch(found);
    if (!found.source.startsWith('the log')) expect(result.said).toContain(stream);
  });

  it('tells a few of many faults, and how many there are', async () => {
    const directory = temporaryDirectory();
    const facts = new SqliteFacts(directory);
    onTestFinished(() => facts.close());
    for (let n = 0; n < 9; n += 1) await facts.append(newStream('protocol'), 'no-stream', newEvents(3));
    damage(directory, 'DELETE FROM events WHERE revision = 1');
    const { ok, said } = await streamsWhole.run({ facts, ...others });
    expect(ok).toBe(false);
    // One of each stream, and one of the counts.
    expect(said).toContain('10 faults');
    expect(said.match(/goes on at/g)).toHaveLength(5);
  });
});
