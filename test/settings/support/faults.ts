// Reads configurations that stop the start.
import { expect } from 'vitest';
import { ConfigurationError, readConfig } from '../../../src/config.js';

/** Returns the faults of an environment, one a line; an empty text if it has none. */
export const faultsOf = (environment: Readonly<Record<string, string>>): string => {
  try {
    readConfig(environment);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
};
