// Starts the programs on a vault in MongoDB that another version, another master key or another audit log has used.
import { expect, it } from 'vitest';
import { Keyring } from '../../src/infrastructure/keys/keyring.js';
import { parseMasterKey, providedMasterKeys } from '../../src/infrastructure/keys/master-key.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { FORMAT, StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { LogRecords, newState } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { startMongoServer, withMongo } from '../support/mongodb.js';
import { run, startProgram } from '../support/process.js';

const environmentOf = (MONGODB_URL: string) => ({
  ...{ DATA_DIR: temporaryDirectory(), PORT: '0' },
  ...{ MONGODB_URL, MASTER_KEY: TEST_MASTER_KEY },
});

/** Changes a vault before a program uses it. */
const inVault = async (url: string, change: (vault: MongoVault) => Promise<unknown>): Promise<void> => {
  const vault = new MongoVault(new MongoConnection(url));
  await change(vault);
  await vault.close();
};

withMongo('a vault in MongoDB', (mongo) => {
  it('of a newer format ends the service and the tool with one line that names both formats', async () => {
    const url = mongo.newUrl();
    await inVault(url, (vault) => new StoreFormat(vault, FORMAT + 1).claim());
    const environment = environmentOf(url);
    // The service comes first, because it creates the stores. The tool reads only stores that exist.
    const refused = [await run('main', { environment }), await run('cli', { environment, arguments: ['verify'] })];
    const line = new RegExp(`^[^\\n]*the vault[^\\n]*format ${FORMAT + 1}[^\\n]*format ${FORMAT}[^\\n]*\\n$`);
    for (const { code, err } of refused) expect([code, err]).toEqual([1, expect.stringMatching(line)]);
  });

  it('of another master key ends the service with one line that names the variable', async () => {
    const url = mongo.newUrl();
    const right = parseMasterKey(TEST_MASTER_KEY);
    if (right === undefined) throw new Error('TEST_MASTER_KEY is not a master key');
    await inVault(url, async (vault) => {
      await new StoreFormat(vault).claim();
      await new Keyring(vault, providedMasterKeys([right])).makeOfPerson('someone');
    });
    const environment = { ...environmentOf(url), MASTER_KEY: 'a7'.repeat(32) };
    const { code, err } = await run('main', { environment });
    expect([code, err]).toEqual([1, expect.stringMatching(new RegExp(`^MASTER_KEY: .*${right.id}[^\\n]*\\n$`))]);
  });

  it('that is unavailable leaves the service alive, measured and not ready, and refuses reads with 503', async (context) => {
    const port = await freePort();
    const unavailable = `mongodb://127.0.0.1:${await freePort()}`;
    context.onTestFinished(
      startProgram('main', { environment: { ...environmentOf(unavailable), PORT: `${port}` } }).kill,
    );
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    await eventually(async () => expect(await statusOf('/livez')).toBe(200));
    const statuses = ['/readyz', '/metrics', '/institutions', '/users'].map(statusOf);
    expect(await Promise.all(statuses)).toEqual([503, 200, 503, 503]);
  });

  it('of an audit log with another name ends the service once the vault is available', async (context) => {
    const server = await startMongoServer(context);
    await inVault(server.url, (vault) =>
      new LogRecords(vault).store(undefined, newState(2, 'first.example/audit/log/2')),
    );
    await server.end('SIGTERM');

    const port = await freePort();
    const environment = { ...environmentOf(server.url), PORT: `${port}`, LOG_ORIGIN: 'second.example' };
    const { kill, ended } = startProgram('main', { environment });
    context.onTestFinished(kill);
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200));
    await server.start();
    const { code, err } = await ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/^LOG_ORIGIN: [^\n]*set LOG_ORIGIN=first\.example\n$/)]);
  });
});
