// Streams a large audit trail in constant memory to fast readers, slow readers and readers who disconnect.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { createStores } from '../support/embedded-files.js';
import { eventually } from '../support/eventually.js';
import { embeddedEngines, startedOn, type WatchedServer } from './support/sets.js';

const EVENTS = 10_000;
const BATCH = 50;
const MIB = 1024 * 1024;
// The response has about 120 MiB, and its events as objects take even more. The server holds far less at a time.
const PAYLOAD = 'x'.repeat(12_000);
const MOST_GROWTH_MIB = 150;
const LINES_PER_SAMPLE = 500;

const engines = embeddedEngines();

const ask = (server: WatchedServer, accept: string, signal?: AbortSignal) =>
  fetch(`${server.url}/audit/events`, { headers: { Accept: accept }, ...(signal && { signal }) });

const residentMiB = async (server: WatchedServer): Promise<number> => {
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(`${(await server.get('/metrics')).body}`) ?? [];
  return Number(bytes) / MIB;
};

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Returns the length of the body and the most memory that the server used meanwhile. */
const readAll = async (server: WatchedServer, body: ReadableStream<Uint8Array>) => {
  const decoder = new TextDecoder();
  let [lines, bytes, most, sampledAt] = [0, 0, 0, -LINES_PER_SAMPLE];
  for await (const chunk of body) {
    lines += linesIn(decoder.decode(chunk, { stream: true }));
    bytes += chunk.length;
    if (lines - sampledAt < LINES_PER_SAMPLE) continue;
    sampledAt = lines;
    most = Math.max(most, await residentMiB(server));
  }
  return { lines, bytes, most };
};

describe(`an audit trail of ${EVENTS} events`, () => {
  beforeAll(async () => {
    await createStores(engines.directory);
    const facts = new SqliteFacts(engines.directory);
    for (let made = 0; made < EVENTS; made += BATCH) {
      const data = { what: 'events', filter: { type: PAYLOAD } };
      const events = Array.from({ length: BATCH }, () => ({ ...newEvent(data), type: 'AuditTrailRead' }));
      await facts.append(`auditRead-${randomUUID()}`, 'no-stream', events);
    }
    await facts.close();
  });

  const start = async () => {
    const server = await startedOn(engines);
    onTestFinished(() => expect(server.uncaught).toEqual([]));
    // The Merkle tree grows over these events first, because that takes memory, too.
    await eventually(async () => {
      const response = await fetch(`${server.url}/audit/log/checkpoint`);
      expect(Number((await response.text()).split('\n')[1])).toBeGreaterThanOrEqual(EVENTS);
    });
    return server;
  };
  const failures = ({ log }: WatchedServer) => log.filter(({ level }) => Number(level) >= 50);

  it('is sent completely in constant memory', async () => {
    const server = await start();
    const before = await residentMiB(server);
    const { status, body } = await ask(server, 'application/x-ndjson');
    expect([status, body]).toEqual([200, expect.anything()]);
    const { lines, bytes, most } = await readAll(server, body as ReadableStream<Uint8Array>);
    // The service records the read before it responds, so the response includes that event.
    expect(lines).toBe(EVENTS + 1);
    expect(bytes).toBeGreaterThan(100 * MIB);
    expect(most - before).toBeLessThan(MOST_GROWTH_MIB);
    expect(failures(server)).toEqual([]);
  });

  it('waits for slow readers and does not hold in memory what they have not read', async () => {
    const server = await start();
    // The worker has its own heap, and must have read the log. A first reader reads everything, so that the heap of the
    // thread that serves has its size, and only the slow readers count.
    await eventually(async () => {
      const { body } = await server.get<string>('/audit/log/checkpoint');
      expect(Number(`${body}`.split('\n')[1])).toBeGreaterThanOrEqual(EVENTS);
    });
    await readAll(server, (await ask(server, 'application/x-ndjson')).body as ReadableStream<Uint8Array>);
    const before = await residentMiB(server);
    const readers = await Promise.all(Array.from({ length: 8 }, () => ask(server, 'application/x-ndjson')));
    const slow = readers.map(({ body }) => (body as ReadableStream<Uint8Array>).getReader());
    let most = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      for (const reader of slow) expect((await reader.read()).done).toBe(false);
      most = Math.max(most, await residentMiB(server));
    }
    expect(most - before).toBeLessThan(MOST_GROWTH_MIB);
    await Promise.all(slow.map((reader) => reader.cancel()));
    expect(failures(server)).toEqual([]);
  });

  it.each(['application/x-ndjson', 'application/cloudevents-batch+json'])(
    'may be aborted at any moment as %s without an error, and the next request succeeds',
    async (accept) => {
      const server = await start();
      const aborted = Array.from({ length: 20 }, async (_, index) => {
        const abort = new AbortController();
        const { body } = await ask(server, accept, abort.signal);
        const reader = (body as ReadableStream<Uint8Array>).getReader();
        for (let chunks = 0; chunks < index; chunks += 1) await reader.read();
        abort.abort();
        await expect(reader.closed).rejects.toThrow();
      });
      await Promise.all(aborted);
      const closed = () => server.log.filter(({ path, msg }) => path === '/audit/events' && msg === 'request');
      await eventually(() => expect(closed()).toHaveLength(20));
      expect(failures(server)).toEqual([]);
      expect((await server.get('/audit/events?limit=1')).status).toBe(200);
      expect(await server.stop()).toBe(0);
    },
  );
});
