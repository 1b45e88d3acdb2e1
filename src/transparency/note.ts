// Signed notes (C2SP signed-note) with Ed25519: a text, an empty line, and a line for each signature. The text of a
// checkpoint (C2SP tlog-checkpoint) commits to a tree.
import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { HASH_BYTES, type Tree } from './merkle.js';

export interface Verifier {
  readonly name: string;
  /** The id of the key, 4 bytes. */
  readonly id: Buffer;
  readonly publicKey: KeyObject;
}

export interface Note {
  /** The signed text, including its last line break. */
  readonly text: string;
  readonly signatures: readonly Signature[];
}

export interface Signature {
  readonly name: string;
  readonly id: Buffer;
  readonly signature: Buffer;
}

// The type of a key determines what it signs: plain notes, or checkpoints with a time (C2SP tlog-cosignature).
const ED25519 = 1;
/** The type of the keys of witnesses. */
export const COSIGNATURE_V1 = 4;
// The DER encoding of an Ed25519 public key is this prefix followed by the key (RFC 8410, 4).
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;
const ID_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;

/** Returns a verifier key in its published form, `name+id+base64`. The name must not contain white space or `+`. */
export const verifierKey = (name: string, publicKey: KeyObject, type = ED25519): string => {
  const key = encoded(publicKey, type);
  return `${name}+${idOf(name, key).toString('hex')}+${key.toString('base64')}`;
};

/** Parses a verifier key. Returns undefined if the text is not a verifier key of this type. */
export const verifierOf = (text: string, type = ED25519): Verifier | undefined => {
  const [, name = '', id = '', base64 = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const key = bytesOf(base64);
  if (key.length !== 1 + KEY_BYTES || key[0] !== type || idOf(name, key).toString('hex') !== id) return undefined;
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key.subarray(1)]), format: 'der', type: 'spki' });
  return { name, id: Buffer.from(id, 'hex'), publicKey };
};

export const signatureLine = (text: string, name: string, privateKey: KeyObject): string => {
  const id = idOf(name, encoded(createPublicKey(privateKey)));
  return noteLineOf({ name, id, signature: sign(null, Buffer.from(text), privateKey) });
};

/** Returns a signature as a line of a note, without a line break. */
export const noteLineOf = ({ name, id, signature }: Signature): string =>
  `— ${name} ${Buffer.concat([id, signature]).toString('base64')}`;

/** Returns the note of a text, which must end with a line break, and its signature lines. */
export const noteOf = (text: string, lines: readonly string[]): string =>
  `${text}\n${lines.map((line) => `${line}\n`).join('')}`;

/** Parses a note. Returns undefined if it is malformed. */
export const parsedNote = (note: string): Note | undefined => {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map(parsedLine).filter((signature) => signature !== undefined);
  return signatures.length < lines.length ? undefined : { text: note.slice(0, end + 1), signatures };
};

/** Parses a signature line. Returns undefined if the line is malformed. */
export const parsedLine = (line: string): Signature | undefined => {
  const [, name, base64 = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = bytesOf(base64);
  return name === undefined || bytes.length <= ID_BYTES
    ? undefined
    : { name, id: bytes.subarray(0, ID_BYTES), signature: bytes.subarray(ID_BYTES) };
};

/** Returns whether the note has a valid signature by the key of a verifier. */
export const isSignedBy = ({ text, signatures }: Note, { name, id, publicKey }: Verifier): boolean =>
  signatures.some(
    (each) => each.name === name && each.id.equals(id) && verify(null, Buffer.from(text), publicKey, each.signature),
  );

export interface LogCheckpoint extends Tree {
  readonly origin: string;
}

export const checkpointText = ({ origin, size, root }: LogCheckpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/**
 * Parses the text of a checkpoint. Returns undefined if the text is malformed. Lines after the third are extensions.
 */
export const parsedCheckpoint = (text: string): LogCheckpoint | undefined => {
  const [origin = '', size = '', base64 = ''] = text.split('\n');
  const root = bytesOf(base64);
  const isWellFormed = origin !== '' && /^(0|[1-9]\d{0,14})$/.test(size) && root.length === HASH_BYTES;
  return isWellFormed ? { origin, size: Number(size), root } : undefined;
};

/**
 * Returns whether a signature is a cosignature of a checkpoint's text by a witness (C2SP tlog-cosignature, version 1):
 * at that time, the witness knew no larger tree of the log, and this tree contains every tree that it cosigned before.
 */
export const isCosignature = (text: string, { name, id, signature }: Signature, witness: Verifier): boolean => {
  if (name !== witness.name || !id.equals(witness.id) || signature.length <= TIME_BYTES) return false;
  const time = signature.readBigUInt64BE();
  const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
  return verify(null, message, witness.publicKey, signature.subarray(TIME_BYTES));
};

/** Decodes base64. Returns no bytes unless the text is the canonical encoding. */
const bytesOf = (base64: string): Buffer => {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : Buffer.of();
};

const encoded = (publicKey: KeyObject, type = ED25519): Buffer =>
  Buffer.concat([Buffer.of(type), publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length)]);

const idOf = (name: string, key: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), key]), 'buffer').subarray(0, ID_BYTES);
