import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { consistencyProof, rootHash } from '../../src/transparency/merkle.js';
import { checkpointText, noteOf, signatureLine } from '../../src/transparency/note.js';
import { type Submission, Witnesses } from '../../src/transparency/witnesses.js';
import { eventually } from '../support/eventually.js';
import { loggedLines } from './support/growing.js';
import { treeOf } from './support/merkle-tree.js';
import { newWitnessKeys, startWitness, type WitnessServer } from './support/witness-servers.js';

const origin = 'hospital.example.org/audit/log';
const { privateKey } = generateKeyPairSync('ed25519');
const hashes = treeOf(Array.from({ length: 20 }, (_, index) => `leaf ${index}`));

const submissionOf = async (size: number): Promise<Submission> => {
  const text = checkpointText({ origin, size, root: await rootHash(size, hashes) });
  return {
    note: noteOf(text, [signatureLine(text, origin, privateKey)]),
    size,
    consistencyProof: (oldSize) => consistencyProof(oldSize, size, hashes),
  };
};

const asking = (witnesses: readonly WitnessServer[], { newest = 20, timeoutMs = 60_000 } = {}) => {
  const { lines, log } = loggedLines();
  const connected = new Witnesses({ witnesses, newestSize: async () => newest, log, timeoutMs });
  onTestFinished(() => connected.close());
  return {
    ask: connected.cosign.bind(connected),
    fault: () => connected.fault(),
    close: () => connected.close(),
    lines,
  };
};

const conflict = (response: ServerResponse, body: string) =>
  response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(body);

describe('asking witnesses', () => {
  it('posts the old size, the proof from it and the checkpoint', async () => {
    const witness = await startWitness();
    const { ask } = asking([witness]);
    const [first, second] = [await submissionOf(5), await submissionOf(8)];
    expect(await ask(first)).toEqual([witness.cosign(first.note)]);
    expect(await ask(second)).toEqual([witness.cosign(second.note)]);
    const proof = (await consistencyProof(5, 8, hashes)).map((hash) => hash.toString('base64'));
    expect(witness.requests).toEqual([
      { path: 'POST /log/add-checkpoint', old: 0, proof: [], checkpoint: first.note },
      { path: 'POST /log/add-checkpoint', old: 5, proof, checkpoint: second.note },
    ]);
  });

  it('asks every witness and returns the cosignatures of those that cosign', async () => {
    const witnesses = await Promise.all(['one', 'two', 'three'].map((name) => startWitness(name)));
    const [one, two, three] = witnesses as [WitnessServer, WitnessServer, WitnessServer];
    two.respond((response) => response.writeHead(503).end());
    const submission = await submissionOf(3);
    const { ask, lines, fault } = asking(witnesses);
    expect(await ask(submission)).toEqual([one.cosign(submission.note), three.cosign(submission.note)]);
    expect(lines).toMatchObject([{ level: 40, witness: 'two' }]);
    expect(fault()).toBeUndefined();
  });

  it('asks only the witnesses whose cosignature the checkpoint does not have', async () => {
    const [one, two] = [await startWitness('one'), await startWitness('two')];
    const submission = await submissionOf(3);
    const note = `${submission.note}${one.cosign(submission.note)}\n`;
    expect(await asking([one, two]).ask({ ...submission, note })).toEqual([two.cosign(note)]);
    expect(one.requests).toEqual([]);
  });

  it('sends a new proof from the size that the witness names', async () => {
    const witness = await startWitness();
    witness.respond((response, { old, checkpoint }) =>
      old === 4 ? response.end(`${witness.cosign(checkpoint)}\n`) : conflict(response, '4\n'),
    );
    const submission = await submissionOf(7);
    expect(await asking([witness]).ask(submission)).toHaveLength(1);
    expect(witness.requests.map(({ old }) => old)).toEqual([0, 4]);
  });

  it('asks a witness at most twice', async () => {
    const witness = await startWitness();
    witness.respond((response, { old }) => conflict(response, `${old + 1}\n`));
    expect(await asking([witness]).ask(await submissionOf(7))).toEqual([]);
    expect(witness.requests).toHaveLength(2);
  });

  it('finds the cosignature of the witness among other lines', async () => {
    const witness = await startWitness();
    const stranger = newWitnessKeys('stranger');
    witness.respond((response, { checkpoint }) =>
      response.end(`${stranger.cosign(checkpoint)}\nno line\n${witness.cosign(checkpoint)}\n`),
    );
    const submission = await submissionOf(7);
    expect(await asking([witness]).ask(submission)).toEqual([witness.cosign(submission.note)]);
  });
});

/**
 * Replaces the time limits of requests with limits that only the test ends, however slow the machine is. Returns the
 * limits and the calls of `fetch`, in the order of the requests.
 */
const endingLimits = () => {
  const limits: AbortController[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  });
  const fetching = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => {
    timeout.mockRestore();
    fetching.mockRestore();
  });
  return { limits, timeout, fetching };
};

const endlessly = function* (text: string) {
  for (;;) yield text;
};

describe('a witness that does not cosign', () => {
  const failures: Readonly<Record<string, (witness: WitnessServer) => Parameters<WitnessServer['respond']>[0]>> = {
    'a cosignature with another key of the same name':
      () =>
      (response, { checkpoint }) =>
        response.end(`${newWitnessKeys('witness.example.org').cosign(checkpoint)}\n`),
    'a cosignature of another checkpoint':
      (witness) =>
      (response, { checkpoint }) =>
        response.end(`${witness.cosign(checkpoint.replace('\n7\n', '\n8\n'))}\n`),
    'a cosignature of another time':
      (witness) =>
      (response, { checkpoint }) => {
        const bytes = Buffer.from(witness.cosign(checkpoint).split(' ')[2] ?? '', 'base64');
        bytes.writeUInt8(bytes.readUInt8(11) ^ 1, 11);
        response.end(`— witness.example.org ${bytes.toString('base64')}\n`);
      },
    'a line that is too short': (witness) => (response) =>
      response.end(`— witness.example.org ${witness.verifier.id.toString('base64')}\n`),
    nothing: () => (response) => response.end(),
    'a body without end':
      (witness) =>
      (response, { checkpoint }) =>
        void Readable.from(endlessly(`${witness.cosign(checkpoint)}\n`)).pipe(response),
    'a server error': () => (response) => response.writeHead(500).end(),
    'no trust in the key of the log': () => (response) => response.writeHead(403).end(),
    'an unknown origin': () => (response) => response.writeHead(404).end(),
    'a redirect':
      (witness) =>
      (response, { path }) =>
        path.includes('elsewhere')
          ? response.end()
          : response.writeHead(307, { location: `${witness.url}/elsewhere` }).end(),
    'a closed connection': () => (response) => response.destroy(),
  };

  it.each(Object.keys(failures))('adds no cosignature for %s', async (name) => {
    const [witness, good] = [await startWitness(), await startWitness('good')];
    const { ask, fault, lines } = asking([witness, good]);
    const submission = await submissionOf(7);
    const respond = failures[name]?.(witness);
    if (respond !== undefined) witness.respond(respond);
    expect(await ask(submission)).toEqual([good.cosign(submission.note)]);
    expect(witness.requests).toHaveLength(1);
    expect(fault()).toBeUndefined();
    expect(lines).toMatchObject([{ level: 40, witness: 'witness.example.org' }]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['silence', () => {}],
    ['half a response', (response) => void response.writeHead(200).write('— witness')],
  ])('adds no cosignature for %s, which ends with the time limit', async (name, respond) => {
    const [witness, good] = [await startWitness(), await startWitness('good')];
    witness.respond(respond);
    const { limits, timeout, fetching } = endingLimits();
    const { ask, lines } = asking([witness, good], { timeoutMs: 2_000 });
    const submission = await submissionOf(7);
    const asked = ask(submission);
    await eventually(() => expect([witness.requests.length, good.requests.length]).toEqual([1, 1]));
    if (name === 'half a response') await fetching.mock.results[0]?.value;
    limits[0]?.abort();
    expect(await asked).toEqual([good.cosign(submission.note)]);
    expect(timeout.mock.calls).toEqual([[2_000], [2_000]]);
    expect(lines).toMatchObject([{ level: 40, witness: 'witness.example.org' }]);
  });

  it('adds no cosignature if it does not listen', async () => {
    const witness = { ...(await startWitness()), url: 'http://127.0.0.1:9' };
    expect(await asking([witness]).ask(await submissionOf(7))).toEqual([]);
  });

  it('is logged once until it cosigns again', async () => {
    const witness = await startWitness();
    const submission = await submissionOf(7);
    const { ask, lines } = asking([witness]);
    witness.respond((response) => response.writeHead(500).end());
    await ask(submission);
    await ask(submission);
    witness.respond((response, { checkpoint }) => response.end(`${witness.cosign(checkpoint)}\n`));
    expect(await ask(submission)).toHaveLength(1);
    expect(witness.requests).toHaveLength(3);
    expect(lines.map(({ level }) => level)).toEqual([40, 30]);
  });

  it('does not delay a closing worker', async () => {
    const witness = await startWitness();
    const { ask, close, lines } = asking([witness]);
    witness.respond(() => close());
    expect(await ask(await submissionOf(7))).toEqual([]);
    expect(lines).toEqual([]);
  });
});

describe('a witness that knows another log', () => {
  it.each([
    ['a tree that is larger than the log', (response: ServerResponse) => conflict(response, '21\n')],
    ['another tree of the old size', (response: ServerResponse) => conflict(response, '0\n')],
    ['another tree of the old size, without naming it', (response: ServerResponse) => response.writeHead(409).end()],
    ['a tree that is not a prefix', (response: ServerResponse) => response.writeHead(422).end()],
  ])('is a fault: %s', async (_, respond) => {
    const witness = await startWitness();
    const { ask, fault, lines } = asking([witness]);
    const submission = await submissionOf(7);
    witness.respond(respond);
    expect(await ask(submission)).toEqual([]);
    expect(await ask(submission)).toEqual([]);
    expect(fault()).toMatchObject({ code: 'audit-witness-contradicts' });
    expect(lines).toMatchObject([{ level: 50, witness: 'witness.example.org' }]);
    // Anybody can read the detail at /readyz. It must not show the size of the log.
    expect(fault()?.detail).not.toMatch(/\d/);
    witness.respond((response, { checkpoint }) => response.end(`${witness.cosign(checkpoint)}\n`));
    expect(await ask(submission)).toHaveLength(1);
    expect(fault()).toBeUndefined();
  });

  it('is no fault if another worker got a cosignature of a larger tree', async () => {
    const witness = await startWitness();
    const { ask, fault } = asking([witness], { newest: 9 });
    witness.respond((response) => conflict(response, '9\n'));
    expect(await ask(await submissionOf(7))).toEqual([]);
    expect(fault()).toBeUndefined();
  });
});
