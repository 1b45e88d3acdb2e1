import { vaultSuite } from '../infrastructure/vault/vault.suite.js';
import { MemoryVault } from './memory-vault.js';

vaultSuite('the memory of a test', () => {
  const vault = new MemoryVault();
  return () => vault;
});
