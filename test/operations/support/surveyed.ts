// Runs a check of the log on stores that a test has opened.
import type { Views } from '../../../src/infrastructure/views/views.js';
import { surveyLog } from '../../../src/operations/survey.js';
import { checks, type Result } from '../../../src/operations/verify.js';
import type { openSealed } from '../../infrastructure/persons/support/harness.js';

/** Returns the result of a check. */
export const surveyed = async (
  check: keyof typeof checks,
  { stored, facts, vault, keyring, format }: ReturnType<typeof openSealed>,
): Promise<Result> => {
  const serviceKey = (name: string) => keyring.serviceKey(name);
  const read = { facts, sealedFacts: stored, views: {} as Views };
  const rest = { integrity: async () => [], contradiction: async () => undefined };
  const stores = { ...read, ...rest, vault, keyring, format, serviceKey };
  return checks[check](stores, () => surveyLog(stores));
};
