// Opens the stores of a product that has stopped.
import type { AllStores } from '../../../dist/infrastructure/stores.js';
import { openStores } from '../../../dist/stores.js';

const fail = (): never => {
  throw new Error('the personal fields of a new log cannot be decrypted');
};

/** Opens the embedded stores of a directory. */
export const openEmbedded = (directory: string): Promise<AllStores> => {
  const engines = {
    roles: [],
    eventStoreUrl: undefined,
    mongoDbUrl: undefined,
    redisUrl: undefined,
    masterKeys: undefined,
    erasureList: undefined,
  };
  const sealing = { withoutKey: fail, tampered: fail, damaged: fail };
  return openStores({ dataDirectory: directory, ...engines }, { onError: console.error, sealing });
};
