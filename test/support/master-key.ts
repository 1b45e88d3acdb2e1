// The master key of tests whose vault is in MongoDB.

/** 32 bytes in hexadecimal digits that protect nothing. */
export const TEST_MASTER_KEY = '5e'.repeat(32);
