// Rebuilds the read model of protocols over 2,000 published forms of 300 KB each, with the heap that Node.js takes in a
// worker of docker-compose.yml. Prints how far resident memory grows beyond its idle value, and fails from 250 MB on.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limitHeaps } from '../../dist/heap.js';
import { SqliteFacts } from '../../dist/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../dist/infrastructure/views/sqlite/views.js';
import { Progress } from '../../dist/projections/progress.js';
import { protocols } from '../../dist/projections/protocols.js';
import { ProjectionRunner } from '../../dist/projections/runner.js';
import { newId } from './lib/ids.js';

const FORMS = 2_000;
const QUESTIONS = 300;
const LIMIT_MB = 250;
const AT_ONCE = 20;
// With the limit of 1,536 MB, Node.js 24 takes half of it for old objects.
const FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=768'];
const HOUR_MS = 3_600_000;

const eventOf = (type: string, data: object) => {
  const actor = { id: 'anonymous', roles: [] };
  const trace = { correlationId: newId().replaceAll('-', ''), causationId: newId() };
  return { id: newId(), type, data, metadata: { at: '2025-01-01T00:00:00.000Z', actor, ...trace, schemaVersion: 1 } };
};

const questionOf = (position: number) => ({
  ...{ id: newId(), copiedFrom: null, position, questionText: 'Há quanto tempo? '.repeat(48), responseType: 'TEXT' },
  ...{ metadata: {}, required: true, weight: 1, options: [] },
});

const fill = async (directory: string): Promise<void> => {
  const facts = new SqliteFacts(directory);
  const forms = Array.from({ length: FORMS }, () => ({ stream: `protocol-${newId()}`, formId: newId() }));
  const questions = Array.from({ length: QUESTIONS }, (_, n) => questionOf(n + 1));
  const each = async (append: (form: (typeof forms)[number]) => Promise<unknown>) => {
    for (let n = 0; n < FORMS; n += AT_ONCE) await Promise.all(forms.slice(n, n + AT_ONCE).map(append));
  };
  const version = { version: 1, copiedFrom: null, questions, scoreRanges: [] };
  await each(({ stream, formId }) =>
    facts.append(stream, 'no-stream', [
      eventOf('ProtocolCreated', { institutionId: newId(), name: 'Falls', prompt: null }),
      eventOf('ProtocolFormVersionCreated', { formId, ...version }),
    ]),
  );
  await each(({ stream, formId }) =>
    facts.append(stream, 1, [eventOf('ProtocolFormPublished', { formId, reason: null })]),
  );
  await facts.close();
};

const rebuild = async (directory: string): Promise<void> => {
  limitHeaps();
  const [facts, views] = [new SqliteFacts(directory), new SqliteViews(directory)];
  await views.prepare(protocols);
  const head = (await facts.head()) ?? '';
  const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
  const idle = process.memoryUsage.rss();
  const quiet = { folded: () => undefined, stopped: () => undefined };
  const log = { warn: console.error, error: console.error, info: () => undefined, debug: () => undefined };
  const progress = new Progress(views);
  const runner = new ProjectionRunner({ facts, views, progress, log: log as never, metrics: quiet }, [protocols]);
  const isWhole = await progress.reached(protocols.name, head, HOUR_MS);
  await runner.close();
  // In KiB, as Linux counts it.
  const peak = process.resourceUsage().maxRSS * 1_024;
  for (const store of [views, facts]) await store.close();
  const growth = megabytes(peak - idle);
  console.log(`resident memory: ${megabytes(idle)} MB idle, ${megabytes(peak)} MB at most, growth ${growth} MB`);
  if (!isWhole || growth >= LIMIT_MB) throw new Error(`the rebuild must end, and take less than ${LIMIT_MB} MB`);
};

const [given] = process.argv.slice(2);
if (given === undefined) {
  const directory = mkdtempSync(join(process.env['BENCH_DIRECTORY'] ?? tmpdir(), 'rebuild-memory-'));
  try {
    await fill(directory);
    const task = [...FLAGS, fileURLToPath(import.meta.url), directory];
    process.exitCode = spawnSync(process.execPath, task, { stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(directory, { recursive: true });
  }
} else await rebuild(given);
