import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';

const ONE = 'witness.example.org+57720e4f+BAIbSygnn52a8OzDuJQcV/N8/VOJMBrrGURrUEPHwEjw';
// A key that signs notes, and one that differs from its id.
const NOTE_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const WRONG_ID = ONE.replace('57720e4f', '57720e4e');
const URLS = [
  'https://witness.example.org',
  'https://witness.example.org/log/',
  'http://127.0.0.1:8080',
  'http://[::1]',
];

const faultOf = (environment: Readonly<Record<string, string>>): string => {
  try {
    readConfig(environment);
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
};

describe('the configuration of witnesses', () => {
  it('is none where nothing is set', () => {
    expect(readConfig({})).toMatchObject({ witnesses: [], checkpointDirectory: undefined });
  });

  it.each(URLS)('takes a witness at %s', (url) => {
    const { witnesses } = readConfig({ WITNESSES: `${ONE} ${url}` });
    expect(witnesses.map(({ verifier, ...witness }) => ({ ...witness, name: verifier.name }))).toEqual([
      { name: 'witness.example.org', url },
    ]);
  });

  it.each([
    ONE,
    'https://witness.example.org',
    `https://witness.example.org ${ONE}`,
    `${ONE} https://witness.example.org more`,
    `${ONE} http://witness.example.org`,
    `${ONE} https://ana:canary@witness.example.org`,
    `${ONE} ftp://127.0.0.1`,
    `${ONE} https://witness.example.org,`,
    `${NOTE_KEY} https://witness.example.org`,
    `${WRONG_ID} https://witness.example.org`,
    `${ONE} https://witness.example.org, ${ONE} https://witness.example.com`,
  ])('names the variable in one line that has an example and nothing secret: %s', (WITNESSES) => {
    const fault = faultOf({ WITNESSES });
    expect(fault).toMatch(/^WITNESSES: .*for example /);
    expect(fault.split('\n')).toHaveLength(1);
    expect(fault).not.toContain('canary');
  });

  it('has an example that is accepted', () => {
    const example = faultOf({ WITNESSES: 'x' }).replace(/^.*for example /, '');
    expect(readConfig({ WITNESSES: example }).witnesses).toHaveLength(1);
  });
});
