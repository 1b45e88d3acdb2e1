// Opens connections, prepares statements, abandons iterations and forces collections, for some seconds in the main
// thread and in two workers, which end and start again meanwhile. Prints how many objects each thread has dropped.
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Database } from '../../../../dist/infrastructure/sqlite/driver.js';

const [directory, seconds] = isMainThread ? [process.argv[2], Number(process.argv[3])] : workerData;
const end = Date.now() + seconds * 1_000;

/** Creates objects and drops them: some closed, some open, some in the middle of an iteration. */
const drop = (file, round) => {
  const db = new Database(file);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS rows (n INTEGER) STRICT');
  db.transaction(() => db.prepare('INSERT INTO rows VALUES (?)').run(round));
  for (let n = 0; n < 20; n += 1) db.prepareValue(`SELECT n + ${n} FROM rows`).get();
  db.prepare('SELECT * FROM rows').iterate().next();
  try {
    db.prepare('SELECT * FROM nothing');
  } catch {
    // The failed statement is one more object to collect.
  }
  if (round % 3 !== 0) db.close();
};

/** Returns a statement whose connection nothing else refers to. */
const orphan = () => new Database(':memory:').prepareValue('SELECT 1');

const work = async (name, until) => {
  const statement = orphan();
  let dropped = 0;
  for (; Date.now() < until; dropped += 1) {
    drop(join(directory, `${name}.sqlite`), dropped);
    if (dropped % 10 === 0) {
      globalThis.gc();
      // Finalizers run between turns of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  statement.get();
  return dropped;
};

/** Starts worker after worker until the end. Resolves with what they have dropped. */
const crew = async (name) => {
  let dropped = 0;
  while (Date.now() < end) {
    const worker = new Worker(new URL(import.meta.url), { workerData: [directory, 0.5, name] });
    dropped += await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    // Half of the workers end by themselves, with open connections; the others are terminated.
    if (dropped % 2 === 0) await worker.terminate();
  }
  return dropped;
};

if (isMainThread) {
  const dropped = await Promise.all([work('main', end), crew('first'), crew('second')]);
  process.stdout.write(`collected in ${dropped.length} threads: ${dropped.join(', ')}\n`);
} else {
  parentPort.postMessage(await work(workerData[2], end));
}
