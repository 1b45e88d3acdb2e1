// Runs commands of the operator's tool on a data directory.
import { expect } from 'vitest';
import { runCli } from '../../support/process.js';

/** Runs a command that succeeds without a warning. Returns what it prints. */
export const outputOf = async (directory: string, ...command: readonly string[]): Promise<string> => {
  const { code, out, err } = await runCli(directory, ...command);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};

/** Runs a command that fails and prints nothing but an explanation. Returns the explanation. */
export const refusalOf = async (directory: string, ...command: readonly string[]): Promise<string> => {
  const { code, out, err } = await runCli(directory, ...command);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err.trim()).not.toBe('');
  expect(err).not.toMatch(/^ +at /m);
  return err;
};
