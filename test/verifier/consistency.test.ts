// Tests the consistency of two checkpoints, and that the verifier uses only what browsers have, except to read files.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { numbered } from '../http/support/samples.js';
import { nth } from '../support/items.js';
import { consistencyOf } from '../support/rfc6962.js';
import { HandMadeLog } from './support/hand-made-log.js';
import { type Checkpoint, verdictOf, verifier, verifierFile } from './support/verifier.js';

const SIZE = 24;
const log = new HandMadeLog();
for (let at = 0; at < SIZE; at += 1) log.append({ stream: `specialty-${at}`, type: 'SpecialtyCreated', data: { at } });
const keys = [log.signer.verifierKey()];
const checkpoints = await Promise.all(
  numbered(SIZE + 1, (n) => verifier.verifyCheckpoint(log.checkpoint(n - 1), { keys })),
);
const checkpointOf = (size: number): Checkpoint => nth(checkpoints, size);
const verdict = (old: Checkpoint, now: Checkpoint, proof: readonly Uint8Array[]) =>
  verdictOf(verifier.verifyConsistency(old, now, proof));

const proofOf = (older: number, size: number) => (older === 0 ? [] : consistencyOf(older, log.leaves.slice(0, size)));

/** Returns wrong proofs: with one hash altered, without the first hash, and with an additional hash. */
const alteredProofs = (proof: readonly Buffer[]) => [
  ...proof.map((_, at) => proof.with(at, Buffer.alloc(32))),
  ...proof.slice(0, 1).map(() => proof.slice(1)),
  [...proof, Buffer.alloc(32)],
];

describe('the consistency of two checkpoints', () => {
  it.each(numbered(SIZE + 1, (size) => size - 1))('holds for each prefix of a tree of %i leaves', async (size) => {
    const now = checkpointOf(size);
    for (let older = 0; older <= size; older += 1) {
      const proof = proofOf(older, size);
      expect(await verdict(checkpointOf(older), now, proof), `${older}`).toMatchObject({ code: 0 });
      for (const wrong of alteredProofs(proof)) {
        expect(await verdict(checkpointOf(older), now, wrong), `${older}`).toMatchObject({ code: 1 });
      }
    }
  });

  it('does not hold for a log that was rewritten, cut or replaced', async () => {
    const rewritten = new HandMadeLog(log.signer.name);
    for (let at = 0; at < SIZE; at += 1) rewritten.append({ stream: 'specialty-1', type: 'SpecialtyRevised' });
    const other = await verifier.verifyCheckpoint(rewritten.checkpoint(), { keys: [rewritten.signer.verifierKey()] });
    const old = checkpointOf(7);
    expect(await verdict(old, other, consistencyOf(7, rewritten.leaves))).toMatchObject({ code: 1 });
    expect(await verdict(checkpointOf(SIZE), old, [])).toMatchObject({ code: 1 });
    expect(await verdict(old, { ...other, origin: 'other.example.org/audit/log' }, [])).toMatchObject({ code: 1 });
  });

  it.each(['', 'x', 'a\n01\nAA==\n\n— a AAAA\n', log.checkpoint(3).replace('—', '-'), log.checkpoint(3).trimEnd()])(
    'is not readable if a file is not a checkpoint: %j',
    async (text) => {
      const verified = verifier.verifyCheckpoint(text, { keys }).then(({ info }) => info);
      expect(await verdictOf(verified)).toMatchObject({ code: 2 });
    },
  );
});

describe('the verifier', () => {
  const source = readFileSync(verifierFile, 'utf8');

  it('has at most 330 lines', () => expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(330));

  it('imports only modules of Node.js, and only in the code that reads files', () => {
    expect(source).not.toMatch(/^import\b|^export .* from|\brequire\(/m);
    expect(source).not.toMatch(/\bBuffer\b/);
    const beforeFiles = source.slice(0, source.indexOf('files, so Node.js only'));
    expect(beforeFiles.length).toBeGreaterThan(source.length / 2);
    expect(beforeFiles).not.toMatch(/import\(|\bprocess\b/);
    const imported = [...source.matchAll(/import\('([^']+)'\)/g)].map(([, name]) => name);
    expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
  });
});
