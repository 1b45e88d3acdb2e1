import { describe } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { fileStores } from '../support/opened-stores.js';
import { storePairSuite } from './store-pair.suite.js';

describe('the judgement of embedded stores', () => storePairSuite(async () => fileStores(temporaryDirectory())));
