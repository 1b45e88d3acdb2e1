import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { leafHash } from '../../src/transparency/merkle.js';
import {
  COSIGNATURE_V1,
  checkpointText,
  isCosignature,
  isSignedBy,
  noteOf,
  parsedCheckpoint,
  parsedLine,
  parsedNote,
  type Signature,
  signatureLine,
  type Verifier,
  verifierKey,
  verifierOf,
} from '../../src/transparency/note.js';

// The example of Go's golang.org/x/mod/sumdb/note: its key, its text and its signature.
const GO = {
  signer: 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
  verifier: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  line: '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
};
const goKey = () => {
  const seed = Buffer.from(GO.signer.split('+').slice(4).join('+'), 'base64').subarray(1);
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
};
const verifier = (text: string) => verifierOf(text) as Verifier;

describe('signed note', () => {
  it('equals the note that Go signs', () => {
    expect(verifierKey('PeterNeumann', createPublicKey(goKey()))).toBe(GO.verifier);
    expect(signatureLine(GO.text, 'PeterNeumann', goKey())).toBe(GO.line);
  });

  it('verifies if Go signed it', () => {
    const note = parsedNote(noteOf(GO.text, [GO.line]));
    expect(note && isSignedBy(note, verifier(GO.verifier))).toBe(true);
  });

  it('rejects another text, another key and another name', () => {
    const other = verifierKey('PeterNeumann', generateKeyPairSync('ed25519').publicKey);
    const renamed = verifierKey('Somebody', createPublicKey(goKey()));
    const note = { text: GO.text, signatures: parsedNote(noteOf(GO.text, [GO.line]))?.signatures ?? [] };
    expect(isSignedBy({ ...note, text: GO.text.toUpperCase() }, verifier(GO.verifier))).toBe(false);
    expect(isSignedBy(note, verifier(other))).toBe(false);
    expect(isSignedBy(note, verifier(renamed))).toBe(false);
  });

  it.each(['', 'x', 'name+00000000+AAAA', GO.verifier.replace('c74f20a3', 'c74f20a4'), `${GO.verifier}A`])(
    'rejects %j as a verifier key',
    (text) => expect(verifierOf(text)).toBeUndefined(),
  );

  it.each(['', 'text\n', 'text\n\n', 'text\n\nsignature\n', `text\n\n${GO.line}`, `text\n\n${GO.line}\n\n`])(
    'rejects %j as a note',
    (text) => expect(parsedNote(text)).toBeUndefined(),
  );
});

describe('checkpoint', () => {
  const checkpoint = { origin: 'example.org/audit/log', size: 70_000, root: leafHash('root') };

  it('has three lines', () => {
    const text = checkpointText(checkpoint);
    expect(text).toBe(`example.org/audit/log\n70000\n${checkpoint.root.toString('base64')}\n`);
    expect(parsedCheckpoint(text)).toStrictEqual(checkpoint);
    expect(parsedCheckpoint(`${text}an extension\n`)).toStrictEqual(checkpoint);
  });

  it.each(['', 'a\n1\n', 'a\n01\nAAAA\n', 'a\n-1\nAAAA\n', `a\n1\n${Buffer.alloc(31).toString('base64')}\n`])(
    'rejects %j',
    (text) => expect(parsedCheckpoint(text)).toBeUndefined(),
  );
});

// A response of the witness of transparency-dev.
const WITNESS_KEY = 'witness.example.org+57720e4f+BAIbSygnn52a8OzDuJQcV/N8/VOJMBrrGURrUEPHwEjw';
const TEXT = 'hospital.example.org/audit/log\n42\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
const LINE =
  '— witness.example.org V3IOTwAAAABrAz5TNUbw0GI5/njB2/ClQ2REJfqz/VrG4Mzntl2mspe8l5VvilprLen1ea+LdRsFAwgLDEk9fKShW3Wd00bNXj1VBA==';

const witness = verifierOf(WITNESS_KEY, COSIGNATURE_V1) as Verifier;
const cosignature = parsedLine(LINE) as Signature;

describe('a cosignature', () => {
  it('of a Go witness is valid', () => expect(isCosignature(TEXT, cosignature, witness)).toBe(true));

  it('is valid only for its text', () =>
    expect(isCosignature(TEXT.replace('\n42\n', '\n43\n'), cosignature, witness)).toBe(false));

  it('is valid only for its name and its key', () => {
    expect(isCosignature(TEXT, { ...cosignature, name: 'witness.example.com' }, witness)).toBe(false);
    expect(isCosignature(TEXT, { ...cosignature, id: Buffer.alloc(4) }, witness)).toBe(false);
  });

  it('is invalid if any byte or the length changes', () => {
    const { signature } = cosignature;
    for (let at = 0; at < signature.length; at += 1) {
      const altered = Buffer.from(signature);
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
      expect([at, isCosignature(TEXT, { ...cosignature, signature: altered }, witness)]).toEqual([at, false]);
      expect(isCosignature(TEXT, { ...cosignature, signature: signature.subarray(0, at) }, witness)).toBe(false);
    }
    const longer = Buffer.concat([signature, Buffer.of(0)]);
    expect(isCosignature(TEXT, { ...cosignature, signature: longer }, witness)).toBe(false);
  });
});

describe('the key of a witness', () => {
  it('is not a key that signs notes', () => expect(verifierOf(WITNESS_KEY)).toBeUndefined());

  it.each(['', WITNESS_KEY.slice(1), WITNESS_KEY.slice(0, -1), GO.verifier])('is not %j', (text) =>
    expect(verifierOf(text, COSIGNATURE_V1)).toBeUndefined(),
  );
});
