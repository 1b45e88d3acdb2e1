import { codesSuite } from './codes.suite.js';
import { embeddedStores } from './support/codes-harness.js';

codesSuite('SQLite', () => embeddedStores());
