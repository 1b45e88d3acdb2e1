// The exported log: the check passes if nobody changed it, and reports every change.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyBundle as checkedBundle, exportBundle, type Manifest } from '../../src/audit/bundle.js';
import { AuditTrail } from '../../src/audit/trail.js';
import { allDeciders } from '../../src/domain/all.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { TransparencyLog } from '../../src/transparency/log.js';
import { Historian } from '../projections/history.js';
import { eventsIn } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { growerOf, growToEnd } from '../transparency/grower.suite.js';

const categories = allDeciders.map(({ aggregate }) => aggregate);
const verifyBundle = async (directory: string) => (await checkedBundle(directory)).faults;

describe('an audit bundle', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  let directory: string;
  let manifest: Manifest;
  let events: number;

  const change = (name: string, alter: (text: string) => string) => {
    const file = join(directory, name);
    writeFileSync(file, alter(readFileSync(file, 'utf8')));
  };
  const lines = (alter: (lines: string[]) => string[]) =>
    change('events.jsonl', (text) => `${alter(text.trimEnd().split('\n')).join('\n')}\n`);

  beforeEach(async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    await new Historian(facts, 3).record(60);
    events = (await eventsIn(facts)).length;
    directory = join(temporaryDirectory(), 'bundle');
    manifest = await exportBundle({ trail: new AuditTrail(facts, categories) }, directory, now);
    await facts.close();
  });

  it('contains every event, counted by type, and is complete', async () => {
    expect(manifest).toMatchObject({ events, exportedAt: now.toISOString() });
    expect(Object.values(manifest.types).reduce((sum, count) => sum + count, 0)).toBe(events);
    expect(await verifyBundle(directory)).toEqual([]);
  });

  it('of an empty log is complete too', async () => {
    const empty = new SqliteFacts(temporaryDirectory());
    const elsewhere = join(temporaryDirectory(), 'empty');
    expect(await exportBundle({ trail: new AuditTrail(empty, ['protocol']) }, elsewhere, now)).toMatchObject({
      events: 0,
      bytes: 0,
    });
    expect(await verifyBundle(elsewhere)).toEqual([]);
    await expect(exportBundle({ trail: new AuditTrail(empty, ['protocol']) }, elsewhere, now)).rejects.toThrow(
      /not empty/,
    );
    await empty.close();
  });

  it('reports a changed event by its hash', async () => {
    change('events.jsonl', (text) => text.replace('anonymous', 'anonymouS'));
    expect(await verifyBundle(directory)).toEqual([expect.stringContaining('sha256')]);
  });

  it('reports a removed event by the line, the counts and the hash', async () => {
    lines((all) => all.filter((_, index) => index !== 1));
    const faults = (await verifyBundle(directory)).join('\n');
    expect(faults).toMatch(/^line \d+ is revision/m);
    expect(faults).toContain(`says events ${events}, the file has ${events - 1}`);
  });

  it('reports events in another order by their lines', async () => {
    lines((all) => all.toReversed());
    expect((await verifyBundle(directory))[0]).toMatch(/^line \d+ (has position|is revision)/);
  });

  it('reports a time that goes back within a stream by its line', async () => {
    const revised = (text: string) => /"revision":1,.*"at":"([^"]+)"/.exec(text)?.[1] ?? '';
    lines((all) => all.map((line) => line.replace(revised(line) || 'nothing', '1999-01-01T00:00:00.000Z')));
    expect((await verifyBundle(directory))[0]).toMatch(
      /^line \d+ has the time 1999-01-01T00:00:00.000Z, which is before /,
    );
  });

  it('reports that its end is missing', async () => {
    change('events.jsonl', (text) => text.slice(0, -20));
    expect((await verifyBundle(directory)).join('\n')).toContain(`line ${events} is not an event`);
  });

  it('reports a missing or changed manifest', async () => {
    change('manifest.json', (text) => text.replace(/"events": \d+/, '"events": 1'));
    expect(await verifyBundle(directory)).toEqual([`manifest.json says events 1, the file has ${events}`]);
    rmSync(join(directory, 'manifest.json'));
    expect(await verifyBundle(directory)).toEqual([expect.stringMatching(/^manifest.json is missing/)]);
  });

  describe('with a checkpoint', () => {
    let whole: string;
    const bundleOf = async (checkpoint: string) => {
      const facts = new SqliteFacts(whole);
      const bundle = join(temporaryDirectory(), 'signed');
      const { checkpoint: file } = await exportBundle(
        { trail: new AuditTrail(facts, categories), checkpoint },
        bundle,
        now,
      );
      await facts.close();
      expect([file, readFileSync(join(bundle, 'checkpoint'), 'utf8')]).toEqual(['checkpoint', checkpoint]);
      return bundle;
    };
    const changed = (bundle: string, name: string, alter: (text: string) => string) =>
      writeFileSync(join(bundle, name), alter(readFileSync(join(bundle, name), 'utf8')));
    let note: string;

    beforeAll(async () => {
      whole = temporaryDirectory();
      const [facts, vault] = [new SqliteFacts(whole), new SqliteVault(whole)];
      await new Historian(facts, 5).record(300);
      await growToEnd(growerOf({ facts, vault }));
      note = (await new TransparencyLog({ sealedFacts: facts, vault }).current())?.note ?? '';
      await new Historian(facts, 6).record(10);
      await Promise.all([facts.close(), vault.close()]);
    });

    it('is complete if its first events match the checkpoint', async () =>
      expect(await verifyBundle(await bundleOf(note))).toEqual([]));

    it('reports a changed event even if the manifest was changed to match', async () => {
      const bundle = await bundleOf(note);
      changed(bundle, 'events.jsonl', (text) => text.replace('anonymous', 'anonymouS'));
      const [fault = ''] = await verifyBundle(bundle);
      const [, actual = ''] = /the file has "(\w+)"/.exec(fault) ?? [];
      changed(bundle, 'manifest.json', (text) => text.replace(/"sha256": "\w+"/, `"sha256": "${actual}"`));
      expect(await verifyBundle(bundle)).toEqual([expect.stringMatching(/^the first \d+ events do not match/)]);
    });

    /** Changes a line, and then the manifest so that it describes the changed file. */
    const forged = async (change: (line: Record<string, unknown>) => string) => {
      const bundle = await bundleOf(note);
      changed(bundle, 'events.jsonl', (text) => {
        const [first = '', ...others] = text.split('\n');
        return [change(JSON.parse(first)), ...others].join('\n');
      });
      const text = readFileSync(join(bundle, 'events.jsonl'));
      const sha256 = createHash('sha256').update(text).digest('hex');
      changed(bundle, 'manifest.json', (manifest) =>
        JSON.stringify({ ...JSON.parse(manifest), sha256, bytes: text.length }),
      );
      return (await checkedBundle(bundle)).faults;
    };
    const rita = { id: 'rita', roles: ['ADMINISTRATOR'] };

    it.each<[string, (line: Record<string, unknown>) => string]>([
      ['another actor', ({ actor, ...line }) => JSON.stringify({ ...line, actor: rita, metadata: { actor } })],
      ['a session', (line) => JSON.stringify({ ...line, sessionId: 's', metadata: { sessionId: null } })],
      ['an unknown member', (line) => JSON.stringify({ ...line, by: 'rita' })],
      [
        'an actor twice',
        ({ actor, ...line }) => `{"actor":${JSON.stringify(rita)},${JSON.stringify({ actor, ...line }).slice(1)}`,
      ],
    ])('reports a line that shows %s', async (_, change) => {
      expect(await forged(change)).toContainEqual(expect.stringMatching(/^line 1 shows other values/));
    });

    it('reports a category that is not that of the stream', async () => {
      const faults = await forged((line) => JSON.stringify({ ...line, category: 'auditRead' }));
      expect(faults).toContainEqual(expect.stringMatching(/^line 1 shows other values/));
    });

    it('says how many of the events the checkpoint covers', async () => {
      const { faults, events, covered } = await checkedBundle(await bundleOf(note));
      expect(faults).toEqual([]);
      expect(covered).toBeGreaterThan(0);
      expect(events).toBeGreaterThan(covered);
    });

    it('reports a missing or malformed checkpoint', async () => {
      const bundle = await bundleOf(note);
      changed(bundle, 'checkpoint', (text) => text.slice(1, 60));
      expect(await verifyBundle(bundle)).toEqual([expect.stringMatching(/^checkpoint is missing/)]);
      rmSync(join(bundle, 'checkpoint'));
      expect(await verifyBundle(bundle)).toEqual([expect.stringMatching(/^checkpoint is missing/)]);
    });

    it('reports fewer events than the checkpoint covers', async () => {
      const bundle = await bundleOf(note.replace(/\n\d+\n/, '\n100000\n'));
      expect(await verifyBundle(bundle)).toEqual([expect.stringMatching(/^the checkpoint covers 100000 events/)]);
    });
  });
});
