// Starts a process whose LOG_ORIGIN differs from the origin in the vault while the vault is unavailable.
import { expect, it } from 'vitest';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { LogRecords, newState } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { startMongoServer, withMongo } from '../support/mongodb.js';
import { startProgram } from '../support/process.js';

withMongo('an audit log with another name', () => {
  it('ends the process once the vault is available', async (context) => {
    const mongo = await startMongoServer(context);
    const vault = new MongoVault(new MongoConnection(mongo.url));
    await new LogRecords(vault).store(undefined, newState(2, 'first.example/audit/log/2'));
    await vault.close();
    await mongo.end('SIGTERM');

    const port = await freePort();
    const environment = {
      ...{ DATA_DIR: temporaryDirectory(), PORT: `${port}` },
      ...{ MONGODB_URL: mongo.url, MASTER_KEY: TEST_MASTER_KEY, LOG_ORIGIN: 'second.example' },
    };
    const { kill, ended } = startProgram('main', { environment });
    context.onTestFinished(kill);
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200));
    await mongo.start();
    const { code, err } = await ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/^LOG_ORIGIN: [^\n]*set LOG_ORIGIN=first\.example\n$/)]);
  });
});
