// The limits of the heaps of a process that starts as `npm start` does.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';

const HEAP = fileURLToPath(new URL('../dist/heap.js', import.meta.url));
const START = /node (--max-semi-space-size=\d+) /;

/** Fills the memory for new objects of its first thread, and of a thread with a limit of 8 MB. Prints how much they took. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { isMainThread, parentPort, Worker } from 'node:worker_threads';
  import { limitHeaps } from ${JSON.stringify(HEAP)};
  const filled = () => {
    let kept = [];
    for (let n = 0; n < 2_000_000; n += 1) {
      kept.push({ n });
      if (kept.length > 100_000) kept = kept.slice(50_000);
    }
    return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1_048_576;
  };
  if (isMainThread) {
    limitHeaps();
    const worker = new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: 8 } });
    worker.on('message', (limited) => console.log(JSON.stringify({ first: filled(), limited })));
  } else parentPort.postMessage(filled());
`;

it('keeps 32 MB of the first thread for new objects, and the limit of another thread', () => {
  const file = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(file, PROGRAM);
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [, flag = 'none'] = START.exec(scripts.start) ?? [];
  const { first, limited } = JSON.parse(execFileSync(process.execPath, [flag, file]).toString());
  expect(first).toBeLessThanOrEqual(32);
  expect(limited).toBeLessThanOrEqual(8);
});
