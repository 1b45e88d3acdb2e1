import { memoryStores } from '../support/opened-stores.js';
import { uniquenessSuite } from './uniqueness.suite.js';

uniquenessSuite('the memory of a test', memoryStores);
