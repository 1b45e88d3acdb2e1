// The key of the claims, as every process of one service has it.
import { createSecretKey, randomBytes } from 'node:crypto';

const key = createSecretKey(randomBytes(32));

/** Gives it. */
export const sharedKey = async () => key;
