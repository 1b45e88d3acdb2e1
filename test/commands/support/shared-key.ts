// The key of the claims, which all processes of a service share.
import { createSecretKey, randomBytes } from 'node:crypto';

const key = createSecretKey(randomBytes(32));

/** Returns the key. */
export const sharedKey = async () => key;
