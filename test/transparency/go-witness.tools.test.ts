// Tests that the witness of transparency-dev cosigns checkpoints of a growing log, and rejects all others.
import { generateKeyPairSync } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { consistencyProof, type HashSource, rootHash } from '../../src/transparency/merkle.js';
import {
  COSIGNATURE_V1,
  checkpointText,
  isCosignature,
  noteOf,
  parsedNote,
  type Signature,
  signatureLine,
  verifierKey,
  verifierOf,
} from '../../src/transparency/note.js';
import { type Submission, Witnesses } from '../../src/transparency/witnesses.js';
import { noGo } from '../support/go.js';
import { type GoWitness, startGoWitness } from '../support/go-witness.js';
import { verifier as standAlone } from '../verifier/support/verifier.js';
import { treeOf } from './support/merkle-tree.js';

const NAME = 'the witness of transparency-dev';
const none = noGo('witness');

const origin = 'hospital.example.org/audit/log';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const leaves = Array.from({ length: 300 }, (_, index) => `leaf ${index}`);
const hashes = treeOf(leaves);
const rewritten = treeOf(leaves.with(2, 'another leaf'));

const submissionOf = async (size: number, tree: HashSource = hashes): Promise<Submission> => {
  const text = checkpointText({ origin, size, root: await rootHash(size, tree) });
  return {
    note: noteOf(text, [signatureLine(text, origin, privateKey)]),
    size,
    consistencyProof: (oldSize) => consistencyProof(oldSize, size, tree),
  };
};

const suite = () => {
  const start = () => startGoWitness(verifierKey(origin, publicKey));
  const asking = ({ url, key }: GoWitness, newest = 300) => {
    const verifier = verifierOf(key, COSIGNATURE_V1);
    if (verifier === undefined) throw new Error(`${key} is not the key of a witness`);
    const options = { newestSize: async () => newest, log: pino({ level: 'silent' }) };
    return { verifier, witnesses: new Witnesses({ witnesses: [{ url, verifier }], ...options }) };
  };

  it('cosigns a growing log', async () => {
    const { witnesses, verifier } = asking(await start());
    for (const size of [0, 1, 2, 5, 256, 257, 300]) {
      const { note, ...submission } = await submissionOf(size);
      const [line, ...more] = await witnesses.cosign({ note, ...submission });
      const { text = '', signatures = [] } = parsedNote(`${note}${line}\n`) ?? {};
      expect([size, more, isCosignature(text, signatures[1] as Signature, verifier)]).toEqual([size, [], true]);
    }
  });

  it('adds cosignatures that the stand-alone verifier accepts', async () => {
    const witness = await start();
    const submission = await submissionOf(257);
    const [line] = await asking(witness, 257).witnesses.cosign(submission);
    const trust = { keys: [verifierKey(origin, publicKey)], witnesses: [witness.key] };
    const { info } = await standAlone.verifyCheckpoint(`${submission.note}${line}\n`, trust);
    expect(info).toEqual([expect.stringContaining(', 257 events'), expect.stringMatching(/^cosigned by \S+ \d{4}-/)]);
  });

  it('cosigns for a worker that does not know the earlier cosignatures', async () => {
    const witness = await start();
    for (const size of [7, 7, 100, 300]) {
      expect(await asking(witness).witnesses.cosign(await submissionOf(size))).toHaveLength(1);
    }
  });

  it('does not cosign a rewritten or rolled-back log', async () => {
    const witness = await start();
    await asking(witness).witnesses.cosign(await submissionOf(100));
    const other: readonly Submission[] = [
      await submissionOf(99),
      await submissionOf(100, rewritten),
      await submissionOf(200, rewritten),
    ];
    for (const submission of other) {
      const { witnesses } = asking(witness, submission.size);
      expect(await witnesses.cosign(submission)).toEqual([]);
      expect(witnesses.fault()).toMatchObject({ code: 'audit-witness-contradicts' });
    }
    expect(await asking(witness).witnesses.cosign(await submissionOf(200))).toHaveLength(1);
  });
};

if (none === undefined) describe(NAME, suite);
else it(NAME, ({ skip }) => skip(none));
