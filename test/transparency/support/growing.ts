// Helpers for the tests of a growing log: its stores, its events, its growers, and a process that is killed.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { aggregates } from '../../../src/domain/all.js';
import { type Facts, logPages, type RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import { LogGrower } from '../../../src/transparency/grower.js';
import type { LogStores } from '../../../src/transparency/keys.js';
import { LogRecords } from '../../../src/transparency/records.js';
import { temporaryDirectory } from '../../support/directory.js';
import { memoryStores, type OpenedStores } from '../../support/opened-stores.js';

/** The origin of a log whose name nobody set. */
export const ORIGIN = 'localhost/audit/log';
const secret = createSecretKey(randomBytes(32));
/** The service key of every grower. */
export const serviceKey = async () => secret;

/** Opens the stores of a directory. */
export const openStores = (
  directory = temporaryDirectory(),
  { facts, vault }: OpenedStores = memoryStores(directory),
) => ({
  directory,
  facts,
  vault,
  records: new LogRecords(vault),
});

/** Returns a logger, and the lines that it has logged. */
export const loggedLines = () => {
  const lines: { readonly level: number; readonly witness?: string }[] = [];
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }) };
};

const metadata = {
  at: '2026-11-22T12:00:00.000Z',
  actor: { id: 'anonymous', roles: [] },
  correlationId: '0'.repeat(32),
  causationId: 'test',
  schemaVersion: 1,
};

/** Appends events to new streams, `each` events per stream. */
export const appendEvents = async (facts: Facts, count: number, each = 1): Promise<void> => {
  const streams = Array.from({ length: Math.ceil(count / each) }, (_, at) => Math.min(each, count - at * each));
  await Promise.all(
    streams.map((length) => {
      const events = Array.from({ length }, (_, n) => ({
        id: randomUUID(),
        type: 'SpecialtyRevised',
        data: { name: `Cardiology ${n}`, description: null, enabled: true },
        metadata,
      }));
      return facts.append(`specialty-${randomUUID()}`, 'no-stream', events);
    }),
  );
};

/** Returns the stores as the log names them. */
export const logStoresOf = ({ facts, vault }: OpenedStores): LogStores => ({
  sealedFacts: facts,
  vault,
  serviceKey,
});

/** Returns a new grower, as another process would have one. */
export const growerOf = (stores: OpenedStores, vault: Vault = stores.vault, origin = ORIGIN): LogGrower =>
  new LogGrower({ ...logStoresOf(stores), vault }, new LogRecords(vault), origin);

/** Grows the tree to the end of the log. */
export const growToEnd = async (grower: LogGrower): Promise<void> => {
  while (!(await grower.step()));
};

/** Returns the events of our aggregates, in the order of the log. */
export const eventsOf = async (facts: Facts): Promise<readonly RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const { events } of logPages(facts, { aggregates, after: undefined })) all.push(...events);
  return all;
};

/** Returns a vault that fails at one change, as if the process were killed at that change. */
export const failingAt = (vault: Vault, change: number): Vault => {
  let changes = 0;
  const count = () => {
    changes += 1;
    if (changes === change) throw new Error('killed');
  };
  const changed: Partial<Vault> = {
    insert: (entry) => {
      count();
      return vault.insert(entry);
    },
    replace: (entry, version) => {
      count();
      return vault.replace(entry, version);
    },
  };
  return Object.assign(Object.create(vault) as Vault, changed, {
    get: vault.get.bind(vault),
    ofKind: vault.ofKind.bind(vault),
  });
};
