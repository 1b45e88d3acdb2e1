import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';
import { claimsSuite } from './claims.suite.js';

claimsSuite('SQLite', () => new SqliteVault(temporaryDirectory()));
