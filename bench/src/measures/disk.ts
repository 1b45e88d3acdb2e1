// Measures by how many bytes the files of the embedded stores grow for each POST /protocols, without write-ahead logs.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { below } from '../lib/below.js';
import { repeating, sendMany } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

// About once a second, the service adds new events to the tree of the audit log. Those bytes are part of the cost of a
// write.
const TREE_MS = 2_000;

type Sizes = Readonly<Record<string, number>>;

/** Returns the bytes of each store after all databases are closed: closing moves the write-ahead log into the file. */
const sizesOf = (data: string): Sizes =>
  Object.fromEntries(
    readdirSync(data)
      .filter((file) => file.endsWith('.sqlite'))
      .map((file) => [file.slice(0, -'.sqlite'.length), statSync(join(data, file)).size]),
  );

/** Starts the service, creates this many protocols, waits until the read models have them, and stops. */
const writeTo = async (directory: string, amount: number): Promise<void> => {
  const server = await startReady(directory);
  const { url } = server;
  try {
    const body = protocolBody(await anInstitution(url));
    await sendMany(repeating(server, { method: 'POST', path: '/protocols', body }), amount);
    await pause(TREE_MS);
    const headers = { 'content-type': 'application/json' };
    const last = await fetch(`${url}/protocols`, { method: 'POST', headers, body: JSON.stringify(body) });
    const token = last.headers.get('consistency-token');
    if (token === null) throw new Error('the response to a POST has no Consistency-Token');
    const { status } = await fetch(`${url}/protocols?limit=1`, { headers: { 'consistency-token': token } });
    if (status !== 200) throw new Error(`the read models do not have the last write: ${status}`);
  } finally {
    await server.stop();
  }
};

export const disk: Measure = {
  name: 'disk',
  title: 'bytes on disk',
  run: async (bench) => {
    const directory = below(bench, 'product');
    const amount = bench.quick ? 3_000 : 20_000;
    // The first pages of every table and index exist before anything is counted.
    await writeTo(directory, 300);
    const before = sizesOf(join(directory, 'data'));
    await writeTo(directory, amount);
    const after = sizesOf(join(directory, 'data'));
    const grown = Object.entries(after).map(([store, bytes]) => {
      const kilobytes = (bytes - (before[store] ?? 0)) / amount / 1_000;
      return { store, kilobytes };
    });
    const ours = grown.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
    const notes = [grown.map(({ store, kilobytes }) => `${store} ${kilobytes.toFixed(2)}`).join(', ')];
    return [{ what: 'bytes on disk per POST /protocols', unit: 'KB', ours, target: 'disk', notes }];
  },
};
