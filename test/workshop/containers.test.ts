// Tests the text of docker-compose.yml and Dockerfile, without a container engine.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ConfigurationError, readConfig, variables } from '../../src/config.js';
import { temporaryDirectory } from '../support/directory.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly restart: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly configs?: readonly { readonly source: string }[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy: { readonly replicas?: number; readonly resources: { readonly limits: { readonly memory: string } } };
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly tmpfs: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly configs: Readonly<Record<string, { readonly file?: string }>>;
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const ENGINES = ['eventstoredb', 'mongodb', 'redis'];
const own = services.filter(([, { build }]) => build !== undefined);
const serviceNamed = (name: string): Service => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
};

/** Returns a text as Docker's client interpolates it, with a value for every required variable. */
const interpolated = (given: string) =>
  given.replaceAll(/\$\$|\$\{(\w+):\?[^}]*\}/g, (found, name) => (found === '$$' ? '$' : secretOf(name)));
const secretOf = (name: string) => (name === 'MASTER_KEY' ? TEST_MASTER_KEY : `${name}-of-a-test`);
const environmentOf = (name: string) =>
  Object.fromEntries(
    Object.entries(serviceNamed(name).environment ?? {}).map(([key, value]) => [key, interpolated(value)]),
  );

const namesIn = (networks: Service['networks']): readonly string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks);

describe('docker-compose.yml', () => {
  it('has the engines, a proxy, two http processes and two workers', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual([...ENGINES, 'http', 'proxy', 'worker'].toSorted());
    expect(own.map(([name, { deploy }]) => [name, deploy.replicas])).toEqual([
      ['http', 2],
      ['worker', 2],
    ]);
  });

  it.each(own.map(([name]) => name))('sets only known variables, as text: %s', (name) => {
    for (const [key, value] of Object.entries(serviceNamed(name).environment ?? {})) {
      expect(variables).toContain(key);
      expect(value).toBeTypeOf('string');
    }
  });

  it('gives workers a valid configuration with the distributed engines', () => {
    expect(readConfig(environmentOf('worker'))).toMatchObject({
      roles: ['worker'],
      eventStoreUrl: 'esdb://eventstoredb:2113?tls=false',
      mongoDbUrl: expect.stringMatching(/^mongodb:\/\/clinical_protocols:MONGODB_PASSWORD-of-a-test@mongodb:27017\//),
      redisUrl: 'redis://:REDIS_PASSWORD-of-a-test@redis:6379',
    });
  });

  it('gives every process of the service the same master key', () => {
    for (const [name] of own) expect(environmentOf(name)['MASTER_KEY']).toBe(TEST_MASTER_KEY);
  });

  it('gives http processes a valid configuration that requires sign-in', () => {
    expect(serviceNamed('http').profiles).toBeUndefined();
    expect(readConfig(environmentOf('http'))).toMatchObject({ roles: ['http'], port: 3000, callers: 'required' });
    expect(() => readConfig({ ...environmentOf('http'), AUTH: 'open' })).toThrow(ConfigurationError);
  });

  it('contains no secret and no default for a secret', () => {
    const used = [...text.matchAll(/(?<!\$)\$\{(\w+)([^}]*)\}/g)];
    expect(used.length).toBeGreaterThan(4);
    for (const [, name, rest] of used) {
      expect(rest).toBe(name === 'PUBLISH' ? ':-127.0.0.1:3000' : `:?set ${name}`);
    }
    const secrets = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([key]) => /PASSWORD|KEY/.test(key)),
    );
    for (const [key, value] of secrets) expect(value, key).toMatch(/^\$\{\w+:\?set \w+\}$/);
    expect(text).toContain('--requirepass "$$REDIS_PASSWORD"');
  });

  it.each(services.map(([name]) => name))(
    'pins the version, checks the health, restarts, and limits the memory and the rights of %s',
    (name) => {
      const service = serviceNamed(name);
      expect(service.image).toMatch(/^[\w./-]+:\d+\.\d+(\.\d+)?(-[\w.]+)?$/);
      if (service.build === undefined) expect(text).toContain(`# Tags: each is used`);
      if (service.build === undefined) expect(text.split('x-hardened')[0]).toContain(service.image);
      expect(service.healthcheck.test.length).toBeGreaterThan(1);
      expect(service.restart).toBe('unless-stopped');
      expect(service.deploy.resources.limits.memory).toMatch(/^\d+[MG]$/);
      expect(service).toMatchObject({
        read_only: name !== 'eventstoredb',
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    },
  );

  it('declares exactly the volumes, networks and configs that it uses', () => {
    const volumes = services.flatMap(([, service]) => (service.volumes ?? []).map((volume) => volume.split(':')[0]));
    expect(volumes.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    const networks = services.flatMap(([, service]) => namesIn(service.networks));
    expect(new Set(networks)).toEqual(new Set(Object.keys(compose.networks)));
    const configs = services.flatMap(([, service]) => (service.configs ?? []).map(({ source }) => source));
    expect(configs.toSorted()).toEqual(Object.keys(compose.configs).toSorted());
  });

  // Compose refuses to write the `content` of a config into a read-only container.
  it('mounts every config from a file of the repository', () => {
    for (const [name, { file }] of Object.entries(compose.configs)) {
      expect(file, name).toMatch(/^\.\/deploy\//);
      expect(read(`${file}`)).not.toBe('');
    }
  });

  it.each(own.map(([name]) => name))('starts after every engine is healthy: %s', (name) => {
    const awaited = serviceNamed(name).depends_on ?? {};
    expect(Object.keys(awaited).toSorted()).toEqual(ENGINES);
    for (const { condition } of Object.values(awaited)) expect(condition).toBe('service_healthy');
  });

  it('publishes only the port of the proxy, on the loopback unless PUBLISH says otherwise', () => {
    expect(services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))).toEqual([
      ['proxy', expect.stringMatching(/^\$\{PUBLISH:-127\.0\.0\.1:3000\}:8080$/)],
    ]);
    expect(serviceNamed('proxy').depends_on).toEqual({ http: { condition: 'service_healthy' } });
  });

  it('makes http processes trust only the proxy, and separates the engines from the proxy', () => {
    const { networks } = serviceNamed('proxy');
    expect(networks).toEqual({ front: { ipv4_address: environmentOf('http')['TRUSTED_PROXIES'] } });
    expect(readConfig(environmentOf('http')).trustedProxies).toHaveLength(1);
    expect(services.filter(([, service]) => namesIn(service.networks).includes('front')).map(([name]) => name)).toEqual(
      ['http', 'proxy'],
    );
  });

  it('gets every secret from scripts/compose-env.sh, which overwrites nothing', () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'scripts'));
    cpSync(
      fileURLToPath(new URL('../../scripts/compose-env.sh', import.meta.url)),
      join(directory, 'scripts/compose-env.sh'),
    );
    const make = () => spawnSync('sh', [join(directory, 'scripts/compose-env.sh')], { encoding: 'utf8' });
    expect(make().status).toBe(0);
    const file = join(directory, '.env');
    const written = readFileSync(file, 'utf8');
    const values = new Map([...written.matchAll(/^(\w+)=([0-9a-f]{32,})$/gm)].map(([, name, value]) => [name, value]));
    const needed = new Set([...text.matchAll(/(?<!\$)\$\{(\w+):\?/g)].map(([, name]) => name));
    expect(new Set(values.keys())).toEqual(needed);
    expect(new Set(values.values()).size).toBe(needed.size);
    expect(readConfig({ MASTER_KEY: values.get('MASTER_KEY') }).masterKeys).toHaveLength(1);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringContaining('.env exists') });
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('makes Redis persist and never evict data', () => {
    const command = serviceNamed('redis').entrypoint?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');
  const instructions = dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line));
  const runtime = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

  it('pins the full version of its base image, the same in both stages', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1] ?? '');
    expect(bases).toHaveLength(2);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/);
    expect(bases[1]).toBe(bases[0]);
  });

  it('runs as a user other than root, in exec form, and stops with SIGTERM', () => {
    expect(runtime).toContain('USER node');
    expect(runtime).toContain('STOPSIGNAL SIGTERM');
    const command = runtime.find((line) => line.startsWith('CMD '))?.slice(4) ?? '';
    expect(JSON.parse(command)).toEqual(['node', 'dist/bundle/main.js']);
    const health = /CMD (\[.*\])$/.exec(runtime.find((line) => line.startsWith('HEALTHCHECK ')) ?? '')?.[1] ?? '';
    expect((JSON.parse(health) as string[])[0]).toBe('node');
  });

  it('copies only the program and the examples', () => {
    const copied = runtime.filter((line) => line.startsWith('COPY ')).map((line) => line.split(' ').at(-1));
    expect(copied).toEqual(['./node_modules', './dist', './', './examples']);
  });

  it('copies exactly what .dockerignore allows', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const taken = instructions
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(new Set(taken)).toEqual(new Set(allowed));
  });
});
