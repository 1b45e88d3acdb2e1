import { MemoryVault } from '../support/memory-vault.js';
import { claimsSuite } from './claims.suite.js';

claimsSuite('the memory of a test', () => new MemoryVault());
