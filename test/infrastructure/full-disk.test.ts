import { expect, it } from 'vitest';
import { namingSpace, StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteError } from '../../src/infrastructure/sqlite/driver.js';

const errorOf = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

it.each([
  errorOf('ENOSPC'),
  errorOf('EDQUOT'),
  new SqliteError('database or disk is full', 'SQLITE_FULL'),
  new SqliteError('disk I/O error', 'SQLITE_IOERR'),
  new StoreUnavailable('the vault', new SqliteError('database or disk is full', 'SQLITE_FULL')),
])('a failure for want of space names the directory: %s', (error) => {
  const named = namingSpace(error, '/backups') as Error;
  expect(named.message).toContain('no space left in /backups');
  expect(named.message).toContain(error.message);
  expect(named.cause).toBe(error);
});

it.each([
  errorOf('EACCES'),
  errorOf('EIO'),
  new SqliteError('database is locked', 'SQLITE_BUSY'),
  new StoreUnavailable('the vault', 'it is closed'),
  'a text',
])('another failure stays as it is: %s', (error) => expect(namingSpace(error, '/backups')).toBe(error));
