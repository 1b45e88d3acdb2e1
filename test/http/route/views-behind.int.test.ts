import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { temporaryDirectory } from '../../support/directory.js';
import { viewsBehindSuite } from './views-behind.suite.js';

viewsBehindSuite(() => {
  const directory = temporaryDirectory();
  return () => new SqliteViews(directory);
});
