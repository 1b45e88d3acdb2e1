// The files of the embedded stores: who can access them, and what a store says that cannot open its file.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { readOnlyDirectory } from '../../support/read-only-directory.js';

describe.each([
  ['facts.sqlite', SqliteFacts],
  ['vault.sqlite', SqliteVault],
  ['views.sqlite', SqliteViews],
  ['work.sqlite', SqliteWork],
] as const)('the file %s', (name, Store) => {
  it('is accessible only to its owner, with every file beside it', async () => {
    const directory = temporaryDirectory();
    const store = new Store(directory);
    expect(readdirSync(directory)).toContain(name);
    for (const file of readdirSync(directory)) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('is named by the error if its directory does not exist or may not be written', () => {
    expect(() => new Store(join(temporaryDirectory(), 'missing'))).toThrow(new RegExp(`missing/${name}`));
    readOnlyDirectory((readOnly) => expect(() => new Store(readOnly)).toThrow(new RegExp(`EACCES.*${name}`)));
  });

  it('makes its store unavailable if it is not a database', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, name), 'something else altogether, longer than a header'.repeat(100));
    expect(() => new Store(directory)).toThrow(StoreUnavailable);
  });
});
