// Runs measured work in a separate process: a file of `tasks/`, with its options and its result as JSON.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a task to its end and returns its result. */
export const runTask = async <Result>(name: string, options: object): Promise<Result> => {
  const script = fileURLToPath(new URL(`../tasks/${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const lastLine = Buffer.concat(chunks).toString().trim().split('\n').at(-1) ?? '';
  if (code !== 0) throw new Error(`the task ${name} exited with code ${code}`);
  return JSON.parse(lastLine) as Result;
};

/** Returns the options of the running task. */
export const taskOptions = <Options>(): Options => JSON.parse(process.argv[2] ?? '{}') as Options;

/** Writes the result of the running task. */
export const writeResult = (result: object): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`);
};
