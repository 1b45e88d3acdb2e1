// The exported log. test/verifier proves what the verifier finds in a bundle that somebody changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportBundle } from '../../src/audit/bundle.js';
import { AuditTrail } from '../../src/audit/trail.js';
import { Historian } from '../projections/support/history.js';
import { eventsIn } from '../projections/support/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { MemoryFacts } from '../support/memory-facts.js';

const now = new Date('2026-03-01T12:00:00.000Z');

const newLog = () => {
  const facts = new MemoryFacts();
  return { facts, trail: new AuditTrail(facts) };
};

it('a bundle has every event in the order of the log, and a manifest that describes the file', async () => {
  const { facts, trail } = newLog();
  await new Historian(facts, 3).record(60);
  const recorded = await eventsIn(facts);
  const directory = join(temporaryDirectory(), 'bundle');
  const manifest = await exportBundle({ trail }, directory, now);
  const file = readFileSync(join(directory, 'events.jsonl'), 'utf8');
  const lines = file.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(recorded.map(({ id }) => id));
  const streams = new Set(recorded.map(({ stream }) => stream));
  expect(manifest).toMatchObject({
    events: recorded.length,
    bytes: Buffer.byteLength(file),
    sha256: createHash('sha256').update(file).digest('hex'),
    exportedAt: now.toISOString(),
    firstPosition: recorded[0]?.position,
    lastPosition: recorded.at(-1)?.position,
  });
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, one) => all + one, 0);
  expect([sum(manifest.types), sum(manifest.streams)]).toEqual([recorded.length, streams.size]);
  expect(JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))).toEqual(manifest);
});

it('a bundle of an empty log has no event', async () => {
  const directory = join(temporaryDirectory(), 'empty');
  const manifest = await exportBundle({ trail: newLog().trail }, directory, now);
  expect(manifest).toMatchObject({ events: 0, bytes: 0, firstPosition: null, types: {}, streams: {} });
  expect(existsSync(join(directory, 'checkpoint'))).toBe(false);
});

it('a bundle has the checkpoint that was given', async () => {
  const directory = join(temporaryDirectory(), 'signed');
  const manifest = await exportBundle({ trail: newLog().trail, checkpoint: 'a signed note' }, directory, now);
  expect(manifest.checkpoint).toBe('checkpoint');
  expect(readFileSync(join(directory, 'checkpoint'), 'utf8')).toBe('a signed note');
});

it('a directory that is not empty is refused and keeps its files', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'events.jsonl'), 'kept');
  await expect(exportBundle({ trail: newLog().trail }, directory, now)).rejects.toThrow(/not empty/);
  expect(readFileSync(join(directory, 'events.jsonl'), 'utf8')).toBe('kept');
});
