import { fileStores } from '../support/opened-stores.js';
import { uniquenessSuite } from './uniqueness.suite.js';

uniquenessSuite('SQLite', fileStores);
