// Tests what the variables mean, which values stop the start, and with what advice.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfig, variables } from '../../src/config.js';
import { verifierKey } from '../../src/transparency/note.js';
import { newWitnessKeys } from '../transparency/support/witness-servers.js';
import { faultsOf } from './support/faults.js';

type Environment = Readonly<Record<string, string>>;

const KEY = randomBytes(32).toString('base64');
const HEX_KEY = randomBytes(32).toString('hex');
const SMTP = { SMTP_URL: 'smtps://ana:canary@mail.example.org', MAIL_FROM: 'Clinic <no-reply@example.org>' };
const SMS = { SMS_WEBHOOK_URL: 'https://sms.example.org/messages', SMS_WEBHOOK_SECRET: 'canary'.repeat(6) };
const ENGINES = {
  EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  MONGODB_URL: 'mongodb://localhost:27017',
  REDIS_URL: 'redis://localhost:6379',
  MASTER_KEY: KEY,
};

describe('the configuration', () => {
  const smtps = [SMTP.SMTP_URL, 'smtp://mail.example.org:2525?tls=false', 'smtp://[::1]:1025?tls=true'];
  const senders: readonly (readonly [string, string, string?])[] = [
    ['no-reply@example.org', ''],
    ['<no-reply@example.org>', ''],
    ['Clinic: North; South <no-reply@example.org>', 'Clinic: North; South'],
    ['North, South <no-reply@example.org>', 'North, South'],
    ['"North, South: A@B" <no-reply@example.org>', 'North, South: A@B'],
    ['Dr. "X" (North)<no-reply@example.org>', 'Dr. "X" (North)'],
    ['Clínica São João <no-reply@exämple.org>', 'Clínica São João', 'no-reply@xn--exmple-cua.org'],
    ['病院 <no-reply@日本.example>', '病院', 'no-reply@xn--wgv71a.example'],
    ['a.b+c=d@localhost', '', 'a.b+c=d@localhost'],
  ];
  const hooks = ['https://sms.example.org/x?y=z', 'http://localhost:8080/sms', 'http://[::1]:8080', 'http://127.0.0.1'];
  const urls = ['https://protocols.example.org', 'http://localhost:3000', 'https://[::1]:8443'];
  const names: readonly [Environment, string][] = [
    [{}, 'localhost'],
    [{ PUBLIC_URL: 'https://protocols.example.org' }, 'protocols.example.org'],
    [{ PUBLIC_URL: 'https://Protocols.example.org:443' }, 'protocols.example.org'],
    [{ PUBLIC_URL: 'https://protocols.example.org:8443' }, 'protocols.example.org:8443'],
    [{ LOG_ORIGIN: 'hospital.example' }, 'hospital.example'],
    [{ LOG_ORIGIN: 'hospital.example', PUBLIC_URL: 'https://a.b' }, 'hospital.example'],
  ];

  it.each<[Environment, object]>([
    [{}, { smtp: undefined, smsWebhook: undefined, masterKeys: undefined }],
    [{}, { rateLimits: 1, trustedProxies: [], corsOrigins: [] }],
    [{ RATE_LIMITS: 'off' }, { rateLimits: undefined }],
    [{}, { isReasonRequired: false }],
    [{ REASONS: 'required' }, { isReasonRequired: true }],
    [{}, { sendsDecisions: true }],
    [{ DECISION_MESSAGES: 'off' }, { sendsDecisions: false }],
    [{}, { hasWebClient: true }],
    [{ CONSOLE: 'off' }, { hasWebClient: false }],
    [{ RATE_LIMITS: '0.5' }, { rateLimits: 0.5 }],
    [{ RATE_LIMITS: '20' }, { rateLimits: 20 }],
    [
      { TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,::1,fd00::/8' },
      { trustedProxies: ['loopback', '10.0.0.0/8', '::1', 'fd00::/8'] },
    ],
    [{ CORS_ORIGINS: 'https://app.example.org' }, { corsOrigins: ['https://app.example.org'] }],
    [{ CORS_ORIGINS: 'http://localhost:5173, https://a.b' }, { corsOrigins: ['http://localhost:5173', 'https://a.b'] }],
    ...smtps.map((url): [Environment, object] => [
      { ...SMTP, SMTP_URL: url },
      { smtp: { url, from: { name: 'Clinic', address: 'no-reply@example.org' } } },
    ]),
    ...senders.map(([MAIL_FROM, name, address = 'no-reply@example.org']): [Environment, object] => [
      { ...SMTP, MAIL_FROM },
      { smtp: { from: { name, address } } },
    ]),
    ...hooks.map((url): [Environment, object] => [
      { ...SMS, SMS_WEBHOOK_URL: url },
      { smsWebhook: { url, secret: SMS.SMS_WEBHOOK_SECRET } },
    ]),
    ...urls.map((url): [Environment, object] => [{ PUBLIC_URL: url }, { publicUrl: url }]),
    ...names.map(([environment, name]): [Environment, object] => [environment, { logOrigin: `${name}/audit/log` }]),
    ...['127.0.0.1', 'localhost', '::1', '127.9.9.9'].map((HOST): [Environment, object] => [
      { HOST },
      { callers: 'open' },
    ]),
    [{ HOST: '127.0.0.1', AUTH: 'required' }, { callers: 'required' }],
    [{ HOST: '0.0.0.0', AUTH: 'required' }, { callers: 'required' }],
    [{ HOST: '0.0.0.0' }, { callers: 'required' }],
  ])('of %j has %j', (environment, expected) => expect(readConfig(environment)).toMatchObject(expected));
});

it.each([
  ['kurrentdb://localhost:2113?tls=false', 'esdb://localhost:2113?tls=false'],
  [
    'kurrentdb://a:b@one:2113,two:2113?tls=true&nodePreference=leader',
    'esdb://a:b@one:2113,two:2113?tls=true&nodePreference=leader',
  ],
  ['kurrentdb+discover://kurrentdb.example.org:2113', 'esdb+discover://kurrentdb.example.org:2113'],
  ['esdb+discover://esdb.example.org', 'esdb+discover://esdb.example.org'],
])('EVENTSTORE_URL=%s means %s', (EVENTSTORE_URL, eventStoreUrl) =>
  expect(readConfig({ EVENTSTORE_URL })).toMatchObject({ eventStoreUrl }),
);

it('an empty variable counts as not set, also a variable that no longer exists', () => {
  const unset = readConfig({});
  for (const value of ['', undefined]) {
    const names = [...variables, 'CHECKPOINT_DIRECTORY'];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, value])))).toEqual(unset);
  }
});

describe('WITNESSES', () => {
  const [one, other] = ['one.example.org', 'other.example.org'].map((name) => newWitnessKeys(name).key);
  const [at, elsewhere] = ['https://witness.example.org', 'http://127.0.0.1:8080/witness'];

  it('are the verifier key and the URL of each witness', () => {
    const { witnesses } = readConfig({ WITNESSES: `${one} ${at}, ${other}  ${elsewhere} ` });
    expect(witnesses).toMatchObject([
      { verifier: { name: 'one.example.org' }, url: at },
      { verifier: { name: 'other.example.org' }, url: elsewhere },
    ]);
  });

  it.each([
    ['a witness twice', `${one} ${at},${other} ${at},${one} ${elsewhere}`],
    ['a key without a URL', `${one}`],
    ['a URL without a key', at],
    ['a key of a log', `${verifierKey('log.example.org', generateKeyPairSync('ed25519').publicKey)} ${at}`],
    ['an http URL of another machine', `${one} http://witness.example.org`],
    ['another protocol', `${one} ftp://witness.example.org`],
    ['a third word', `${one} ${at} ${at}`],
    ['nothing after a comma', `${one} ${at},`],
  ])('stop the start with one line if they have %s', (_, WITNESSES) => {
    const faults = faultsOf({ WITNESSES });
    expect(faults).toMatch(/^WITNESSES: [^\n]*for example [^\n]*$/);
    expect(faultsOf({ WITNESSES: faults.replace(/^.*for example /, '') })).toBe('');
  });
});

describe('a value that stops the start with one line, which names the variable and a value that works', () => {
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
    { variable: 'EVENTSTORE_URL', value: 'kurrentdb:localhost', works: 'esdb://localhost:2113?tls=false' },
    { variable: 'EVENTSTORE_URL', value: 'kurrentdb+srv://localhost', works: 'esdb://localhost:2113?tls=false' },
    { variable: 'REDIS_URL', value: 'nonsense', works: 'redis://localhost:6379' },
  ])('$variable=$value', ({ variable, value, works }) => {
    const faults = faultsOf({ [variable]: value });
    expect(faults).toMatch(new RegExp(`^${variable}: [^\\n]*$`));
    expect(faults).toContain(works);
    expect(faultsOf({ [variable]: works })).toBe('');
  });

  const WRONG: Readonly<Record<string, readonly string[]>> = {
    RATE_LIMITS: ['on', '-1', '0', '0.0', '1e3', '1,5', '10000000', ' '],
    TRUSTED_PROXIES: [
      ...[
        'all',
        '*',
        'proxy.example.org',
        '10.0.0.0/33',
        '10.0.0.0/0',
        '10.0.0/8',
        'loopback,',
        '::1/129',
        '1.1.1.1/a',
      ],
      '10.0.0.0/8/8',
    ],
    CORS_ORIGINS: [
      ...['*', 'null', 'app.example.org', 'https://app.example.org/', 'https://a.b/c', 'https://*.a.b', 'https://A.b'],
      ...['https://a.b:443', 'ftp://a.b', 'https://u@a.b', 'https://a.b,', 'https://a.b?c'],
    ],
    // Tokens name the URL as their issuer.
    PUBLIC_URL: [
      ...['protocols.example.org', 'ftp://a.b', 'https://a.b/', 'https://a.b/c', 'https://a.b?c', 'https://a.b#c'],
      ...['https://ana:canary@a.b', 'https://a b', 'https://a.b:port'],
    ],
    LOG_ORIGIN: [
      ...['two words', 'a+b', 'a\tb', 'a\nb', 'a\u0000b', 'a\u00a0b', 'https://a.b', 'a/b', 'x'.repeat(201)],
    ],
  };
  it.each(Object.entries(WRONG).flatMap(([name, values]) => values.map((value) => [name, value])))(
    '%s=%j',
    (name = '', value = '') => {
      expect(faultsOf({ [name]: value })).toMatch(new RegExp(`^${name}: [^\\n]*for example [^\\n@]*$`));
    },
  );

  it.each<[string, Environment]>([
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'mail.example.org' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'https://ana:canary@mail.example.org' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'smtp://ana:canary@mail.example.org:port' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'smtp://ana:canary@mail.example.org?tls=perhaps' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'smtps://ana:canary%zz@mail.example.org' }],
    ['SMTP_URL', { MAIL_FROM: SMTP.MAIL_FROM }],
    ['MAIL_FROM', { SMTP_URL: SMTP.SMTP_URL }],
    ...[
      ...['the clinic', 'Clinic <the clinic>', 'Clinic <>', 'Clinic', '@example.org', 'no-reply@'],
      ...['a@example.org, b@example.org', 'a@example.org, B <b@example.org>', 'A <a@example.org>, B <b@example.org>'],
      ...['a,b@example.org', 'a;b@example.org', 'A:a@example.org;', 'a@example.org;', 'a@example.org (Clinic)'],
      ...['a..b@example.org', '.a@example.org', 'a.@example.org', 'a@example..org', 'a@.example.org', 'a@example.org.'],
      ...['a@exa%6dple.org', 'a@example.org/path', 'Clinic <a@b@example.org>', 'Clinic <<a@example.org>>'],
      ...['\u200bno-reply@example.org', 'Clinic <no-reply@example.org\u2060>', 'no\u3164reply@example.org'],
      'a@example.org\r\nBcc: b@example.org',
    ].map((MAIL_FROM): [string, Environment] => ['MAIL_FROM', { ...SMTP, MAIL_FROM }]),
    ...['smtps://ana@host', 'smtps://:canary@host', 'smtp://exämple.org', 'smtp://ma%20il.org', 'smtp://%zz'].map(
      (SMTP_URL): [string, Environment] => ['SMTP_URL', { ...SMTP, SMTP_URL }],
    ),
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'http://sms.example.org/canary' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'http://127.0.0.1.example.org/canary' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'https://ana:canary@sms.example.org' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'https://:canary@sms.example.org' }],
    ['SMS_WEBHOOK_URL', { SMS_WEBHOOK_SECRET: SMS.SMS_WEBHOOK_SECRET }],
    ['SMS_WEBHOOK_SECRET', { SMS_WEBHOOK_URL: SMS.SMS_WEBHOOK_URL }],
    ['SMS_WEBHOOK_SECRET', { ...SMS, SMS_WEBHOOK_SECRET: 'canary' }],
  ])('%s of %j, without showing a secret', (variable, environment) => {
    const faults = faultsOf(environment);
    expect(faults).toMatch(new RegExp(`^${variable}: [^\\n]*(for example|openssl)[^\\n]*$`));
    expect(faults).not.toContain('canary');
  });

  it('has examples that are accepted', () => {
    const exampleIn = (faults: string) => faults.replace(/^.*for example /, '');
    const MAIL_FROM = exampleIn(faultsOf({ SMTP_URL: SMTP.SMTP_URL }));
    const SMTP_URL = exampleIn(faultsOf({ MAIL_FROM }));
    const SMS_WEBHOOK_URL = exampleIn(faultsOf({ SMS_WEBHOOK_SECRET: SMS.SMS_WEBHOOK_SECRET }));
    expect(faultsOf({ ...SMS, MAIL_FROM, SMTP_URL, SMS_WEBHOOK_URL })).toBe('');
  });

  it.each([
    ['EVENTSTORE_URL', 'esdb://ana:canary@host:2113?tls=true&tlsCAFile=/nowhere/ca.crt'],
    ['EVENTSTORE_URL', 'kurrentdb+discover://ana:canary@host?userKeyFile=/nowhere/ca.crt&userCertFile=/nowhere/ca.crt'],
    ['EVENTSTORE_URL', 'esdb://one,two?TLSCAFILE=/nowhere/ca.crt&tls=true'],
    ['MONGODB_URL', 'mongodb://ana:canary@host/name?tls=true&tlsCertificateKeyFile=/nowhere/ca.crt'],
  ])('a missing file in %s=%s', (variable, url) =>
    expect(faultsOf({ MASTER_KEY: KEY, [variable]: url })).toBe(`${variable}: the file /nowhere/ca.crt does not exist`),
  );

  it('not a file in the URL of an engine that can be read', () => {
    const file = fileURLToPath(import.meta.url);
    expect(faultsOf({ EVENTSTORE_URL: `esdb://host?tls=true&tlsCAFile=${file}` })).toBe('');
    expect(faultsOf({ MASTER_KEY: KEY, MONGODB_URL: `mongodb://host/?tlsCAFile=${file}&tls=true` })).toBe('');
    const encoded = encodeURIComponent(file);
    expect(faultsOf({ EVENTSTORE_URL: `esdb://host?tls=true&tlsCAFile=${encoded}` })).toBe('');
    expect(faultsOf({ MASTER_KEY: KEY, MONGODB_URL: `mongodb://host/?tlsCAFile=${encoded}&tls=true` })).toBe('');
  });

  it.each(['AUTH', 'DATA_DIR', 'MASTER_KEY', '# a comment'])('only a byte order mark before %s', (name) => {
    for (const before of ['', ' ']) {
      const faults = faultsOf({ [`${before}\uFEFF${name}`]: 'canary', LOG_LEVEL: 'loud', CHECKPOINT_DIRECTORY: 'x' });
      expect(faults).toMatch(new RegExp(`^${name}: .*byte order mark$`));
    }
  });

  it('a variable that no longer exists, and what replaces it', () => {
    expect(faultsOf({ CHECKPOINT_DIRECTORY: '/share', PORT: 'http' })).toMatch(
      /^CHECKPOINT_DIRECTORY: [^\n]*audit checkpoint[^\n]*\nPORT: /,
    );
    expect(faultsOf({ PASSWORD_MIN_LENGTH: '12' })).toMatch(/^PASSWORD_MIN_LENGTH: [^\n]*8 characters[^\n]*$/);
  });

  it('a MONGODB_URL that is not an address, and the variable that MONGODB_URL requires', () =>
    expect(faultsOf({ MONGODB_URL: 'nonsense' })).toMatch(
      /^MONGODB_URL: [^\n]*mongodb:\/\/localhost[^\n]*\nMASTER_KEY: [^\n]*openssl[^\n]*$/,
    ));

  it.each(['http', 'worker', 'worker,worker'])('ROLES=%s while a store is embedded', (ROLES) => {
    for (const embedded of ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL']) {
      const some = Object.fromEntries(Object.entries(ENGINES).filter(([name]) => name !== embedded));
      expect(faultsOf({ ...some, ROLES })).toMatch(/^ROLES: must be all[^\n]*$/);
      for (const both of ['all', 'http,worker']) expect(faultsOf({ ...some, ROLES: both })).toBe('');
    }
    expect(faultsOf({ ...ENGINES, ROLES })).toBe('');
  });

  it.each(['0.0.0.0', '::', '192.0.2.1'])('open mode on %s, which other machines can reach', (HOST) =>
    expect(faultsOf({ AUTH: 'open', HOST })).toMatch(/^AUTH: [^\n]*use required[^\n]* admin create --email[^\n]*$/),
  );
});

describe('MASTER_KEY', () => {
  it.each([
    ['too short', 'c2hvcnQ='],
    ['not base64', '!'.repeat(44)],
    ['48 bytes', randomBytes(48).toString('base64')],
    ['63 digits', '0'.repeat(63)],
    ['a good one and a bad one', `${KEY},nonsense`],
    ['a good one and nothing', `${KEY},`],
  ])('is refused by a message that does not show it: %s', (_, value) => {
    const faults = faultsOf({ MASTER_KEY: value });
    expect(faults).toMatch(/^MASTER_KEY: [^\n]*openssl rand -base64 32$/);
    const [wrong = ''] = value.split(',').filter((key) => key !== KEY);
    expect(faults).toContain(`${value.includes(',') ? 'key 2 ' : ''}must be 32 bytes`);
    expect(faults).toContain(`not ${wrong.length} characters`);
    for (const part of value.split(',').filter((text) => text !== '')) expect(faults).not.toContain(part);
  });

  it('is one key or several, in base64 or hexadecimal digits, the current key first', () => {
    const idsOf = (MASTER_KEY: string) => readConfig({ MASTER_KEY }).masterKeys?.map(({ id }) => id);
    const [one, both] = [idsOf(KEY), idsOf(` ${KEY} , ${HEX_KEY} `)];
    expect([one?.length, both?.length]).toEqual([1, 2]);
    expect(both).toEqual([...(one ?? []), ...(idsOf(HEX_KEY.toUpperCase()) ?? [])]);
  });

  it('is in no text form of the configuration', () => {
    const config = readConfig({ MASTER_KEY: KEY });
    const bytes = Buffer.from(KEY, 'base64');
    for (const text of [JSON.stringify(config), String(config.masterKeys)]) {
      for (const form of [KEY, bytes.toString('hex'), [...bytes].join(',')]) expect(text).not.toContain(form);
    }
  });
});
