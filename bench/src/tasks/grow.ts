// Adds the whole log of a directory to a new signed tree, as the worker does, and signs it.
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';
import { LogGrower } from '../../../dist/transparency/grower.js';
import { LogRecords } from '../../../dist/transparency/records.js';
import { openEmbedded } from '../lib/stores.js';
import { taskOptions, writeResult } from '../lib/task.js';

const { dataDirectory, freshDirectory } = taskOptions<{ dataDirectory: string; freshDirectory: string }>();
const stores = await openEmbedded(dataDirectory);
const vault = new SqliteVault(freshDirectory);
const records = new LogRecords(vault);
const grower = new LogGrower({ ...stores, vault }, records, 'benchmark');
const started = performance.now();
while (!(await grower.step()));
const seconds = (performance.now() - started) / 1_000;
const { size = 0 } = (await records.state()) ?? {};
await vault.close();
await stores.close();
writeResult({ events: size, perSecond: size / seconds });
