// Grows the tree of an audit log, proves the log, or reads checkpoints and proofs. Reports the time and the memory.
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SqliteFacts } from '../../../dist/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';
import { LogGrower } from '../../../dist/transparency/grower.js';
import { TransparencyLog } from '../../../dist/transparency/log.js';
import { prove } from '../../../dist/transparency/prove.js';
import { LogRecords } from '../../../dist/transparency/records.js';
import type { AuditLogResult, AuditLogStep } from '../lib/audit-log.js';
import { median } from '../lib/stats.js';
import { taskOptions, writeResult } from '../lib/task.js';

const { directory, step } = taskOptions<AuditLogStep>();
const sealedFacts = new SqliteFacts(directory);
const vault = new SqliteVault(directory);
const secret = createSecretKey(Buffer.alloc(32, 1));
const serviceKey = async () => secret;
const READS = 200;

/** Returns the resident memory of this process in MiB, without file pages, which the system may drop (Linux). */
const memoryMiB = (): number => {
  const kibibytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kibibytes) / 1_024;
};
let peak = memoryMiB();
const watching = setInterval(() => {
  peak = Math.max(peak, memoryMiB());
}, 20);

const sizeOf = async (): Promise<number> => (await new TransparencyLog({ sealedFacts, vault }).current())?.size ?? 0;

const grow = async (): Promise<void> => {
  const stores = { sealedFacts, vault, serviceKey };
  const grower = new LogGrower(stores, new LogRecords(vault), 'localhost/audit/log');
  while (!(await grower.step()));
};

const proved = async (): Promise<void> => {
  const { faults } = await prove({ sealedFacts, vault, serviceKey });
  if (faults.length > 0) throw new Error(faults.join('\n'));
};

const millisecondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

/** Reads without caches, as the first request of a process does. */
const read = async () => {
  const [checkpoints, proofs]: [number[], number[]] = [[], []];
  const size = await sizeOf();
  for (let n = 0; n < READS; n += 1) {
    const log = new TransparencyLog({ sealedFacts, vault });
    checkpoints.push(await millisecondsOf(() => log.current()));
    const index = Math.floor(Math.random() * size);
    proofs.push(await millisecondsOf(async () => (await log.inclusionProver(size))(index)));
  }
  return { checkpointMs: median(checkpoints), proofMs: median(proofs) };
};

const STEPS: Readonly<Record<AuditLogStep['step'], () => Promise<Partial<AuditLogResult>>>> = {
  grow: async () => ({ seconds: (await millisecondsOf(grow)) / 1_000 }),
  prove: async () => ({ seconds: (await millisecondsOf(proved)) / 1_000 }),
  read,
};

const result = await STEPS[step]();
clearInterval(watching);
const state = await new LogRecords(vault).state();
const stateBytes = Buffer.byteLength(JSON.stringify(state?.value ?? null));
writeResult({ ...result, peakMiB: peak, events: await sizeOf(), stateBytes });
await Promise.all([sealedFacts.close(), vault.close()]);
