import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { leafHash } from '../../src/transparency/merkle.js';
import {
  checkpointText,
  isSignedBy,
  noteOf,
  parsedCheckpoint,
  parsedNote,
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
