import { describe, expect, it } from 'vitest';
import {
  cosignerOf,
  isCosignature,
  parsedLine,
  type Signature,
  type Verifier,
  verifierOf,
} from '../../src/transparency/note.js';

// A response of the witness of transparency-dev.
const KEY = 'witness.example.org+57720e4f+BAIbSygnn52a8OzDuJQcV/N8/VOJMBrrGURrUEPHwEjw';
const TEXT = 'hospital.example.org/audit/log\n42\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
const LINE =
  '— witness.example.org V3IOTwAAAABrAz5TNUbw0GI5/njB2/ClQ2REJfqz/VrG4Mzntl2mspe8l5VvilprLen1ea+LdRsFAwgLDEk9fKShW3Wd00bNXj1VBA==';

const witness = cosignerOf(KEY) as Verifier;
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
  it('is not a key that signs notes', () => expect(verifierOf(KEY)).toBeUndefined());

  it.each(['', KEY.slice(1), KEY.slice(0, -1), 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'])(
    'is not %j',
    (text) => expect(cosignerOf(text)).toBeUndefined(),
  );
});
