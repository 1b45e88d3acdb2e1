// Tests the text of docker-compose.yml and Dockerfile, without a container engine.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, variables } from '../../src/config.js';
import { temporaryDirectory } from '../support/directory.js';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const urlOf = (file: string) => new URL(`../../${file}`, import.meta.url);
const read = (file: string) => readFileSync(urlOf(file), 'utf8');
const text = read('docker-compose.yml');
const servicesIn = (file: string) =>
  (parse(file, { merge: true }) as { readonly services: Readonly<Record<string, Service>> }).services;
const services = servicesIn(text);
const serviceNamed = (name: string): Service => services[name] ?? { image: '', networks: [] };
const SECRET = /\$\{(\w+):\?[^}]*\}/g;

/** Returns the environment of a service with 64 digits for each secret. */
const environmentOf = (name: string) =>
  Object.fromEntries(
    Object.entries(serviceNamed(name).environment ?? {}).map(([key, value]) => [
      key,
      value.replaceAll('$$', '$').replaceAll(SECRET, '5e'.repeat(32)),
    ]),
  );

describe('docker-compose.yml', () => {
  it('gives http processes and workers a valid configuration on the distributed engines, with one master key', () => {
    const engines = {
      eventStoreUrl: 'esdb://eventstoredb:2113?tls=false',
      mongoDbUrl: expect.stringMatching(/^mongodb:\/\/clinical_protocols:\w+@mongodb:27017\//),
      redisUrl: expect.stringMatching(/^redis:\/\/:\w+@redis:6379$/),
    };
    const http = readConfig(environmentOf('http'));
    const worker = readConfig(environmentOf('worker'));
    expect(http).toMatchObject({ roles: ['http'], port: 3000, callers: 'required', ...engines });
    expect(worker).toMatchObject({ roles: ['worker'], ...engines });
    expect(http.masterKeys?.[0]?.id).toBe(worker.masterKeys?.[0]?.id);
    for (const name of ['http', 'worker']) {
      for (const key of Object.keys(environmentOf(name))) expect(variables).toContain(key);
      expect(serviceNamed(name)).toMatchObject({ deploy: { replicas: 2 } });
      expect(serviceNamed(name).depends_on).toEqual(
        Object.fromEntries(
          ['eventstoredb', 'mongodb', 'redis'].map((each) => [each, { condition: 'service_healthy' }]),
        ),
      );
    }
  });

  it.each(Object.keys(services))('pins the version and limits the memory and the rights of %s', (name) => {
    expect(serviceNamed(name).image).toMatch(/^[\w./-]+:\d+\.\d+(\.\d+)?(-[\w.]+)?$/);
    expect(serviceNamed(name)).toMatchObject({
      ...{ restart: 'unless-stopped', read_only: name !== 'eventstoredb', tmpfs: ['/tmp'], cap_drop: ['ALL'] },
      ...{ security_opt: ['no-new-privileges:true'], healthcheck: { test: expect.any(Array) } },
      deploy: { resources: { limits: { memory: expect.stringMatching(/^\d+[MG]$/) } } },
    });
  });

  it('publishes only the proxy, on the loopback unless PUBLISH says otherwise, and http processes trust only it', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect([published, serviceNamed('proxy').ports]).toEqual([
      [expect.stringMatching(/^\$\{PUBLISH:-127\.0\.0\.1:3000\}:8080$/)],
      published,
    ]);
    const { TRUSTED_PROXIES } = environmentOf('http');
    expect(serviceNamed('proxy').networks).toEqual({ front: { ipv4_address: TRUSTED_PROXIES } });
    const inFront = Object.entries(services).filter(([, { networks }]) => JSON.stringify(networks).includes('"front"'));
    expect(inFront.map(([name]) => name).toSorted()).toEqual(['http', 'proxy']);
  });

  it('gives KurrentDB only variables that begin with KURRENTDB_, and its data and log a volume each', () => {
    const { environment = {}, volumes = [] } = serviceNamed('eventstoredb');
    expect(serviceNamed('eventstoredb').image).toContain('/kurrentdb:');
    expect(Object.keys(environment).filter((name) => !name.startsWith('KURRENTDB_'))).toEqual([]);
    const mounted = volumes.map((volume) => volume.split(':')[1]);
    expect(mounted).toEqual([environment['KURRENTDB_DB'], environment['KURRENTDB_LOG']]);
  });

  it('makes Redis persist and never evict data', () => {
    expect(serviceNamed('redis').entrypoint?.join(' ')).toMatch(/--appendonly yes.*--maxmemory-policy noeviction/s);
  });

  it('has no default for a secret: scripts/compose-env.sh writes every one, and overwrites nothing', () => {
    const used = [...text.matchAll(/(?<!\$)\$\{(\w+)([^}]*)\}/g)].filter(([, name]) => name !== 'PUBLISH');
    for (const [, name, rest] of used) expect(rest).toBe(`:?set ${name}`);
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'scripts'));
    const script = join(directory, 'scripts/compose-env.sh');
    cpSync(fileURLToPath(urlOf('scripts/compose-env.sh')), script);
    expect(spawnSync('sh', [script]).status).toBe(0);
    const file = join(directory, '.env');
    const written = readFileSync(file, 'utf8');
    const values = new Map([...written.matchAll(/^(\w+)=([0-9a-f]{32,})$/gm)].map(([, name, value]) => [name, value]));
    expect(new Set(values.keys())).toEqual(new Set(used.map(([, name]) => name)));
    expect(new Set(values.values()).size).toBe(values.size);
    expect(readConfig({ MASTER_KEY: values.get('MASTER_KEY') }).masterKeys).toHaveLength(1);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const again = spawnSync('sh', [script], { encoding: 'utf8' });
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('.env exists') });
    expect(readFileSync(file, 'utf8')).toBe(written);
  });
});

describe('docker-compose.one.yml', () => {
  const one = read('docker-compose.one.yml');
  const { service, ...others } = servicesIn(one);

  it('runs one container, with valid variables and the limits of the others, and keeps its data in a volume', () => {
    expect(others).toEqual({});
    const given = Object.entries(service?.environment ?? {}).map(([name, value]) => [name, value.replace(/^\$.*/, '')]);
    expect(readConfig({ HOST: '0.0.0.0', ...Object.fromEntries(given) })).toMatchObject({ callers: 'required' });
    expect(service).toMatchObject({
      ...{
        image: serviceNamed('http').image,
        volumes: ['data:/data'],
        ports: [expect.stringMatching(/^\$\{PUBLISH:-127\.0\.0\.1:3000\}:3000$/)],
      },
      ...{ restart: 'unless-stopped', read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] },
      ...{ security_opt: ['no-new-privileges:true'], deploy: { resources: { limits: { memory: '1536M' } } } },
    });
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const instructions = lines.filter((line) => /^[A-Z]+ /.test(line));
  const runtime = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

  it('pins its base image, and runs as a user other than root, in exec form, until SIGTERM', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    expect(bases).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-bookworm-slim$/), bases[0]]);
    const command = 'CMD ["node", "--max-semi-space-size=16", "dist/bundle/main.js"]';
    expect(runtime).toEqual(expect.arrayContaining(['USER node', 'STOPSIGNAL SIGTERM', command]));
    expect(runtime.find((line) => line.startsWith('HEALTHCHECK '))).toMatch(/CMD \["node", /);
  });

  it('copies only the program, the verifier and the examples, and exactly what .dockerignore allows', () => {
    const copied = runtime.filter((line) => line.startsWith('COPY ')).map((line) => line.split(' ').at(-1));
    expect(copied).toEqual(['./node_modules', './dist', './', './scripts/', './examples', './verifier']);
    const allowed = [...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, path]) => path);
    const taken = instructions
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(new Set(taken)).toEqual(new Set(allowed));
  });

  it('has the files of the web client and none of its packages: `npm prune --omit=dev` removes them all', () => {
    const { packages } = JSON.parse(read('package-lock.json'));
    const { dependencies, devDependencies } = packages.console;
    expect([dependencies, Object.keys(devDependencies)]).toEqual([undefined, expect.arrayContaining(['react'])]);
    const kept = Object.keys(devDependencies).filter((name) => packages[`node_modules/${name}`]?.dev !== true);
    expect(kept).toEqual([]);
    expect(instructions.find((line) => line.startsWith('RUN npm run build'))).toContain('npm prune --omit=dev');
  });
});
