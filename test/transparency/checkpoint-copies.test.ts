// Tests that witnesses cosign checkpoints, and that the first checkpoint of a day is kept.
import { describe, expect, it, onTestFinished } from 'vitest';
import { changeRecord } from '../../src/infrastructure/vault/vault.js';
import { copyNewest } from '../../src/transparency/growth.js';
import { TransparencyLog } from '../../src/transparency/log.js';
import type { LogState } from '../../src/transparency/records.js';
import { type Witness, Witnesses } from '../../src/transparency/witnesses.js';
import { appendEvents, growerOf, growToEnd, loggedLines, openStores } from './support/growing.js';
import { startWitness } from './support/witness-servers.js';

const STATE = { kind: 'log-state', key: 'tree' };

const opened = () => {
  const { facts, vault, records } = openStores();
  const { log } = loggedLines();
  const copying = (witnesses: readonly Witness[]) => {
    const newestSize = async () => (await records.state())?.signed?.size ?? 0;
    const asked = new Witnesses({ witnesses, newestSize, log });
    onTestFinished(() => asked.close());
    return { copyNewest: () => copyNewest(records, asked) };
  };
  const grow = async (events: number) => {
    await appendEvents(facts, events);
    await growToEnd(growerOf({ facts, vault }));
  };
  const current = async (size?: number) =>
    (await new TransparencyLog({ sealedFacts: facts, vault }).current(size))?.note ?? '';
  return { vault, records, copying, grow, current };
};

describe('the cosignatures of the newest checkpoint', () => {
  it('are published', async () => {
    const { copying, grow, current } = opened();
    const witnesses = [await startWitness('one'), await startWitness('two')];
    const copies = copying(witnesses);
    for (const events of [300, 1, 5]) {
      await grow(events);
      const signed = await current(Number.POSITIVE_INFINITY);
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
    const lines = (await records.state())?.signed?.cosignatures ?? [];
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['one', 'two']);
    expect(witnesses.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  it('belong to the checkpoint that was sent, even if it is no longer the newest', async () => {
    const { copying, grow, current, records } = opened();
    const witness = await startWitness();
    await grow(3);
    const older = await current();
    witness.respond((response, { checkpoint }) => {
      void grow(1).then(() => response.end(`${witness.cosign(checkpoint)}\n`));
    });
    await copying([witness]).copyNewest();
    expect((await records.state())?.signed).toMatchObject({ size: 4, cosignatures: [] });
    expect(await current()).toBe(`${older}${witness.cosign(older)}\n`);
  });

  it('stay published until the witnesses are asked again, except for events that were recorded later', async () => {
    const { copying, grow, current, vault } = opened();
    const witness = await startWitness();
    const copies = copying([witness]);
    await grow(3);
    await copies.copyNewest();
    const cosigned = await current();
    await grow(2);
    await grow(2);
    expect(await current()).toBe(cosigned);
    expect(await current(3)).toBe(cosigned);
    expect(await current(4)).toMatch(/^.*\n7\n/);
    expect(await current(4)).not.toContain('witness');
    await copies.copyNewest();
    expect(await current()).toMatch(/^.*\n7\n(.*\n)*— witness/);
    await grow(1);
    await changeRecord<LogState>(vault, STATE, (state) => {
      if (!state?.cosigned) return undefined;
      return { ...STATE, value: { ...state, cosigned: { ...state.cosigned, at: '2026-01-01T00:00:00.000Z' } } };
    });
    expect(await current()).toMatch(/^.*\n8\n/);
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

describe('the first checkpoint of a day', () => {
  it('is kept, with its cosignatures', async () => {
    const { copying, grow, current, records } = opened();
    const witness = await startWitness();
    const copies = copying([witness]);
    await copies.copyNewest();
    expect(await records.kept()).toEqual([]);
    await grow(3);
    await copies.copyNewest();
    const first = await current();
    await grow(3);
    await copies.copyNewest();
    await copying([witness]).copyNewest();
    expect(await records.kept()).toMatchObject([{ size: 3, note: first }]);
  });
});
