import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { temporaryDirectory } from '../support/directory.js';
import { fanOutSuite } from './fan-out.suite.js';

fanOutSuite(() => {
  const directory = temporaryDirectory();
  return () => new SqliteViews(directory);
});
