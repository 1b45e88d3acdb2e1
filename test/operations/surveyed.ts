// Runs a check of the log on stores that a test has opened.
import type { Views } from '../../src/infrastructure/views/views.js';
import type { Check, Result } from '../../src/operations/check.js';
import { surveyLog } from '../../src/operations/survey.js';
import type { openSealed } from '../infrastructure/sealing/support/harness.js';

/** Returns the result of a check. `memoryBytes` limits the memory of the survey. */
export const surveyed = (
  check: Check,
  { stored, facts, vault, keyring, format }: ReturnType<typeof openSealed>,
  memoryBytes?: number,
): Promise<Result> => {
  const serviceKey = (name: string) => keyring.serviceKey(name);
  const read = { facts, sealedFacts: stored, views: {} as Views };
  const stores = { ...read, vault, keyring, format, serviceKey, integrity: async () => [] };
  return check.run(stores, () => surveyLog(stores, memoryBytes));
};
