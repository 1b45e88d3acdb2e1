// Reads a password from the operator. It is never an argument, because every process of the machine can read arguments.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Returns the password that the operator types twice without echo, or the first line of standard input. */
export const readPassword = async (): Promise<string> => {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
  const [typed, repeated] = [await ask('Password: '), await ask('Repeat the password: ')];
  if (typed !== repeated) throw new Error('The passwords do not match. Nothing was changed.');
  return typed;
};

const ask = async (question: string): Promise<string> => {
  const unseen = new Writable({ write: (_, __, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  // The terminal echoes what is typed before this.
  process.stderr.write(question);
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
};
