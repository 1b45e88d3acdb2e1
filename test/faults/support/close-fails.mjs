// Makes the vault of a process fail to close, after it has closed. NODE_OPTIONS loads this file before the program.
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';

const { close } = SqliteVault.prototype;
SqliteVault.prototype.close = async function () {
  await close.call(this);
  throw new Error('the vault does not close');
};
