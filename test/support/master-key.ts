// The master key of tests with a vault in MongoDB.

/** 32 bytes in hexadecimal digits. The key protects only test data. */
export const TEST_MASTER_KEY = '5e'.repeat(32);
