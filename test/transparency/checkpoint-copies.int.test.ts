// Tests that witnesses cosign checkpoints and that a directory receives copies of them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { CheckpointCopies } from '../../src/transparency/checkpoint-copies.js';
import { CheckpointDirectory } from '../../src/transparency/checkpoint-directory.js';
import { TransparencyLog } from '../../src/transparency/log.js';
import { LogRecords } from '../../src/transparency/records.js';
import type { Witness } from '../../src/transparency/witnesses.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { appendEvents, growerOf, growToEnd } from './grower.suite.js';
import { startWitness } from './witness-servers.js';

const opened = () => {
  const directory = temporaryDirectory();
  const stores = { facts: new SqliteFacts(directory), vault: new SqliteVault(directory) };
  onTestFinished(async () => {
    await stores.facts.close();
    await stores.vault.close();
  });
  const records = new LogRecords(stores.vault);
  const lines: { readonly level: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const copying = (witnesses: readonly Witness[], checkpointDirectory?: string) => {
    const copies = new CheckpointCopies({ settings: { witnesses, checkpointDirectory }, records, log });
    onTestFinished(() => copies.close());
    return copies;
  };
  const grow = async (events: number) => {
    await appendEvents(stores.facts, events);
    await growToEnd(growerOf(stores));
  };
  const current = async () =>
    (await new TransparencyLog({ sealedFacts: stores.facts, vault: stores.vault }).current())?.note ?? '';
  return { records, lines, log, copying, grow, current };
};

describe('the cosignatures of the newest checkpoint', () => {
  it('are published', async () => {
    const { copying, grow, current } = opened();
    const witnesses = [await startWitness('one'), await startWitness('two')];
    const copies = copying(witnesses);
    for (const events of [300, 1, 5]) {
      await grow(events);
      const signed = await current();
      await copies.copyNewest();
      const lines = witnesses.map(({ cosign }) => `${cosign(signed)}\n`);
      expect(await current()).toBe(`${signed}${lines.join('')}`);
    }
    expect(witnesses.map(({ requests }) => requests.map(({ old }) => old))).toEqual([
      [0, 300, 301],
      [0, 300, 301],
    ]);
  });

  it('are requested only once, even if there is another worker', async () => {
    const { copying, grow, current } = opened();
    const witness = await startWitness();
    await grow(3);
    const [one, another] = [copying([witness]), copying([witness])];
    await one.copyNewest();
    const cosigned = await current();
    await one.copyNewest();
    await another.copyNewest();
    expect(await current()).toBe(cosigned);
    expect(witness.requests).toHaveLength(1);
  });

  it('contain each witness once, even if two workers ask at the same time', async () => {
    const { copying, grow, records } = opened();
    const witnesses = [await startWitness('one'), await startWitness('two')];
    let time = 1n;
    for (const { respond, cosign } of witnesses) {
      respond((response, { checkpoint }) => {
        time += 1n;
        response.end(`${cosign(checkpoint, time)}\n`);
      });
    }
    await grow(3);
    await Promise.all([copying(witnesses).copyNewest(), copying(witnesses).copyNewest()]);
    const lines = (await records.state())?.value.signed?.cosignatures ?? [];
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['one', 'two']);
    expect(witnesses.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  it('are not added to a checkpoint that is no longer the newest', async () => {
    const { copying, grow, current, records } = opened();
    const witness = await startWitness();
    await grow(3);
    const older = await current();
    witness.respond((response, { checkpoint }) => {
      void grow(1).then(() => response.end(`${witness.cosign(checkpoint)}\n`));
    });
    await copying([witness]).copyNewest();
    expect((await records.state())?.value.signed).toMatchObject({ size: 4, cosignatures: [] });
    expect(await current()).not.toContain(older);
  });

  it('are missing while a witness knows another log, and every process reports the fault', async () => {
    const { copying, grow, current, records } = opened();
    const witness = await startWitness();
    witness.respond((response) => response.writeHead(422).end());
    await grow(3);
    const signed = await current();
    await copying([witness]).copyNewest();
    expect(await current()).toBe(signed);
    expect((await records.faults()).get('witnesses')).toMatchObject({ code: 'audit-witness-contradicts' });
    // A worker without this witness has nothing to report.
    await copying([]).copyNewest();
    expect((await records.faults()).size).toBe(0);
  });
});

describe('the directory of checkpoints', () => {
  const textsIn = (directory: string) =>
    readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));

  it('has only the first checkpoint of the day, with its cosignatures', async () => {
    const { copying, grow, current, records } = opened();
    const [directory, witness] = [temporaryDirectory(), await startWitness()];
    const copies = copying([witness], directory);
    await copies.copyNewest();
    expect(readdirSync(directory)).toEqual([]);
    await grow(3);
    await copies.copyNewest();
    const first = await current();
    await eventually(() => expect(textsIn(directory)).toEqual([first]));
    await grow(3);
    await copies.copyNewest();
    await copying([witness], directory).copyNewest();
    expect(textsIn(directory)).toEqual([first]);
    expect(await records.kept()).toMatchObject([{ size: 3, note: first }]);
  });

  it('has every checkpoint that was kept before', async () => {
    const { copying, grow, records } = opened();
    await grow(3);
    await copying([]).copyNewest();
    const { signed, generation = 0 } = (await records.state())?.value ?? {};
    if (signed == null) throw new Error('nothing is signed');
    await records.keep(generation, '2020-01-01', { ...signed, at: '2020-01-01T00:00:00.000Z' });
    const directory = temporaryDirectory();
    await copying([], directory).copyNewest();
    await eventually(() => expect(readdirSync(directory)).toHaveLength(2));
  });

  it('is a fault for every process while it is not writable, and is retried', async () => {
    const { grow, copying, records, log, lines } = opened();
    await grow(3);
    await copying([]).copyNewest();
    const directory = join(temporaryDirectory(), 'share');
    const copier = new CheckpointDirectory({ directory, records, log, retryMs: 0 });
    const fault = async () => {
      copier.update(false);
      return (await records.faults()).get('directory')?.code;
    };
    await eventually(async () => expect(await fault()).toBe('audit-directory-unwritable'));
    // Anybody can read the detail at /readyz. It must not show the size of the log, which is part of the file names.
    expect((await records.faults()).get('directory')?.detail).not.toMatch(/\d/);
    mkdirSync(directory);
    await eventually(async () => expect(await fault()).toBeUndefined());
    expect(readdirSync(directory)).toHaveLength(1);
    expect(lines.map(({ level }) => level)).toEqual([50, 30]);
  });

  it('is a fault if it has another tree of the same size, and still receives the other checkpoints', async () => {
    const { grow, copying, records, log } = opened();
    const directory = temporaryDirectory();
    await grow(3);
    const copies = copying([], directory);
    await copies.copyNewest();
    await eventually(() => expect(readdirSync(directory)).toHaveLength(1));
    await copies.close();
    const [name = ''] = readdirSync(directory);
    writeFileSync(join(directory, name), 'another checkpoint\n');
    const { signed, generation = 0 } = (await records.state())?.value ?? {};
    if (signed == null) throw new Error('nothing is signed');
    await records.keep(generation, '2999-01-01', { ...signed, at: '2999-01-01T00:00:00.000Z' });
    new CheckpointDirectory({ directory, records, log }).update(false);
    await eventually(async () =>
      expect((await records.faults()).get('directory')).toMatchObject({ code: 'audit-checkpoint-differs' }),
    );
    expect(readdirSync(directory)).toHaveLength(2);
    expect(readFileSync(join(directory, name), 'utf8')).toBe('another checkpoint\n');
  });
});
