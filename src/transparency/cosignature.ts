// Cosignatures of witnesses (C2SP tlog-cosignature, version 1). With a cosignature, a witness states that at that time
// it knew no larger tree of the log, and that this tree contains every tree of the log that it cosigned before.
import { verify } from 'node:crypto';
import { COSIGNATURE_V1, type Signature, type Verifier, verifierOf } from './note.js';

const TIME_BYTES = 8;

/** Returns the verifier of a witness's key; undefined if the text is not a verifier key of type 4. */
export const cosignerOf = (key: string): Verifier | undefined => verifierOf(key, COSIGNATURE_V1);

/** Returns whether a signature is a cosignature of a checkpoint's text by a witness. */
export const isCosignature = (text: string, { name, id, signature }: Signature, witness: Verifier): boolean => {
  if (name !== witness.name || !id.equals(witness.id) || signature.length <= TIME_BYTES) return false;
  const time = signature.readBigUInt64BE();
  const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
  return verify(null, message, witness.publicKey, signature.subarray(TIME_BYTES));
};
