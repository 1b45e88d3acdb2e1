import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';
import { withoutStateSuite } from './without-state.suite.js';

withoutStateSuite('SQLite', () => {
  const directory = temporaryDirectory();
  return () => new SqliteFacts(directory);
});
