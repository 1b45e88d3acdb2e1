// Tests which values of the variables for the process and its engines are rejected, and with what advice.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';

describe('the configuration', () => {
  it.each([
    { variable: 'LOG_LEVEL', value: 'loud', works: 'info' },
    { variable: 'PORT', value: 'http', works: '3000' },
    { variable: 'PORT', value: '65536', works: '3000' },
    { variable: 'PORT', value: '-1', works: '3000' },
    { variable: 'ROLES', value: 'boss', works: 'http,worker' },
    { variable: 'ROLES', value: 'http,boss', works: 'http,worker' },
    { variable: 'ROLES', value: ',', works: 'http,worker' },
    { variable: 'AUTH', value: 'perhaps', works: 'open' },
    { variable: 'AUTH', value: 'perhaps', works: 'required' },
    { variable: 'EVENTSTORE_URL', value: 'nonsense', works: 'esdb://localhost:2113?tls=false' },
    { variable: 'REDIS_URL', value: 'nonsense', works: 'redis://localhost:6379' },
  ])('rejects $variable=$value with one line that names the variable and a value that works', (given) => {
    const { variable, value, works } = given;
    const read = () => readConfig({ [variable]: value });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(new RegExp(`^${variable}: [^\\n]*$`));
    expect(read).toThrow(works);
    expect(() => readConfig({ [variable]: works })).not.toThrow();
  });

  it('rejects a variable that no longer exists, and says what replaces it', () => {
    const read = () => readConfig({ CHECKPOINT_DIRECTORY: '/share', PORT: 'http' });
    expect(read).toThrow(/^CHECKPOINT_DIRECTORY: .*audit checkpoint.*\nPORT: /);
    expect(() => readConfig({ CHECKPOINT_DIRECTORY: '/share' })).toThrow(/^CHECKPOINT_DIRECTORY: [^\n]*$/);
    expect(() => readConfig({ PASSWORD_MIN_LENGTH: '12' })).toThrow(/^PASSWORD_MIN_LENGTH: [^\n]*8 characters[^\n]*$/);
  });

  it.each(['http', 'worker', 'worker,worker'])('rejects ROLES=%s while a store is embedded', (ROLES) => {
    const engines = {
      EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
      MONGODB_URL: 'mongodb://localhost:27017',
      REDIS_URL: 'redis://localhost:6379',
      MASTER_KEY: randomBytes(32).toString('base64'),
    };
    for (const embedded of ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL']) {
      const some = { ...engines, [embedded]: undefined };
      expect(() => readConfig({ ...some, ROLES })).toThrow(/^ROLES: must be all[^\n]*$/);
      for (const both of ['all', 'http,worker']) expect(() => readConfig({ ...some, ROLES: both })).not.toThrow();
    }
    expect(() => readConfig({ ...engines, ROLES })).not.toThrow();
  });

  it('rejects a MONGODB_URL that is not an address, and names the variable that MONGODB_URL requires', () =>
    expect(() => readConfig({ MONGODB_URL: 'nonsense' })).toThrow(
      /^MONGODB_URL: [^\n]*mongodb:\/\/localhost[^\n]*\nMASTER_KEY: [^\n]*openssl[^\n]*$/,
    ));

  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    'rejects open mode on %s, which other machines can reach, and says how to create an administrator',
    (host) => {
      const open = () => readConfig({ AUTH: 'open', HOST: host });
      expect(open).toThrow(ConfigurationError);
      expect(open).toThrow(/^AUTH: [^\n]*use required[^\n]*npm run cli -- admin create --email[^\n]*$/);
      expect(readConfig({ AUTH: 'required', HOST: host })).toMatchObject({ callers: 'required' });
      expect(readConfig({ HOST: host })).toMatchObject({ callers: 'required' });
    },
  );

  it.each(['127.0.0.1', 'localhost', '::1', '127.9.9.9'])('is open on %s unless AUTH says otherwise', (host) => {
    expect(readConfig({ HOST: host })).toMatchObject({ callers: 'open' });
    expect(readConfig({ HOST: host, AUTH: 'required' })).toMatchObject({ callers: 'required' });
  });
});
