// A password from whoever runs the tool: never from its arguments, which every process of the machine can read.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from './usage-error.js';

/** The password that is typed at the terminal, twice and unseen, or the first line of standard input. */
export const readPassword = async (): Promise<string> => {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
  const [typed, again] = [await ask('Password: '), await ask('The same again: ')];
  if (typed !== again) throw new UsageError('the two are not the same; nothing was made');
  return typed;
};

const ask = async (question: string): Promise<string> => {
  process.stderr.write(question);
  const unseen = new Writable({ write: (_, __, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
};
