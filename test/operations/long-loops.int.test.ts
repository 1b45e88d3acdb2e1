import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { temporaryDirectory } from '../support/directory.js';
import { repetitions } from '../support/repetitions.js';
import { longLoopsSuite } from './long-loops.suite.js';

const fresh = async () => {
  const directory = temporaryDirectory();
  return { vault: new SqliteVault(directory), views: new SqliteViews(directory) };
};
const open = async () => ({ ...(await fresh()), stored: new SqliteFacts(temporaryDirectory()) });

longLoopsSuite('SQLite', open, fresh, { users: repetitions('USERS'), stream: repetitions('STREAM_EVENTS') });
