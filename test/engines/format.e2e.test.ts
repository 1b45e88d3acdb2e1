// Starts the programs on a vault in MongoDB that a newer version has used.
import { expect, it } from 'vitest';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { FORMAT, StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { temporaryDirectory } from '../support/directory.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { withMongo } from '../support/mongodb.js';
import { run } from '../support/process.js';

withMongo('a vault of a newer format', (mongo) => {
  it('ends the service and the tool with one line that names both formats', async () => {
    const url = mongo.newUrl();
    const vault = new MongoVault(new MongoConnection(url));
    await new StoreFormat(vault, FORMAT + 1).claim();
    await vault.close();

    const environment = {
      ...{ DATA_DIR: temporaryDirectory(), PORT: '0' },
      ...{ MONGODB_URL: url, MASTER_KEY: TEST_MASTER_KEY },
    };
    // The service comes first, because it creates the stores. The tool reads only stores that exist.
    for (const [program, words] of [
      ['main', []],
      ['cli', ['verify']],
    ] as const) {
      const { code, err } = await run(program, { environment, arguments: words });
      expect(code).toBe(1);
      expect(err).toMatch(new RegExp(`^[^\\n]*the vault[^\\n]*format ${FORMAT + 1}[^\\n]*format ${FORMAT}[^\\n]*\\n$`));
    }
  });
});
