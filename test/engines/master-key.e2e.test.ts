// Starts a process whose master key differs from the key of the vault in MongoDB.
import { expect, it } from 'vitest';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { Keyring } from '../../src/infrastructure/sealing/keyring.js';
import { parseMasterKey, providedMasterKeys } from '../../src/infrastructure/sealing/master-key.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { temporaryDirectory } from '../support/directory.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { withMongo } from '../support/mongodb.js';
import { run } from '../support/process.js';

withMongo("a master key that differs from the vault's", (mongo) => {
  it('ends the process with one line that names the variable', async () => {
    const url = mongo.newUrl();
    const vault = new MongoVault(new MongoConnection(url));
    const right = parseMasterKey(TEST_MASTER_KEY);
    if (right === undefined) throw new Error('TEST_MASTER_KEY is not a master key');
    await new StoreFormat(vault).claim();
    await new Keyring(vault, providedMasterKeys([right])).makeOfPerson('someone');
    await vault.close();

    const environment = {
      DATA_DIR: temporaryDirectory(),
      PORT: '0',
      MONGODB_URL: url,
      MASTER_KEY: 'a7'.repeat(32),
    };
    const { code, err } = await run('main', { environment });
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^MASTER_KEY: .*${right.id}[^\\n]*\\n$`));
  });
});
