// npm run demo:evidence: shows that the history of an approval can be verified without the service. It starts a
// separate service, approves a doctor as an administrator, saves the evidence, stops the service and verifies the file.
// Then it changes the decision in a copy of the log, and the operator's check finds the change.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Database } from '../src/infrastructure/sqlite/driver.js';
import { chapter, say } from './demo/client.js';
import { walkLog } from './demo/walk-log.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'evidence-'));
const data = join(work, 'data');
const PASSWORD = 'correct horse battery staple';
const PATIENCE_MS = 30_000;

type Service = ChildProcessByStdio<null, Readable, null>;

const environmentOf = (directory: string) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  DATA_DIR: directory,
  AUTH: 'required',
  PORT: '0',
});

/** Starts the service and returns it with its address, which the service logs. */
const startService = async (): Promise<{ readonly service: Service; readonly base: string }> => {
  const service = spawn(process.execPath, ['dist/bundle/main.js'], {
    cwd: root,
    env: environmentOf(data),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: service.stdout })) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url === undefined) continue;
    service.stdout.resume();
    return { service, base: url };
  }
  throw new Error('the service exited before it listened');
};

/** Runs a program to its end, prints its output and returns its exit code. */
const run = (label: string, program: readonly string[], { directory = data, input = '' } = {}): number | null => {
  say(`  $ ${label}`);
  const { stdout, stderr, status } = spawnSync(process.execPath, program, {
    cwd: root,
    env: environmentOf(directory),
    input,
    encoding: 'utf8',
  });
  for (const line of `${stdout}${stderr}`.trimEnd().split('\n')) say(`    ${line}`);
  return status;
};

/** Calls the service, with the access token of a user if one is passed. Rejects unless the response is a success. */
const request = async (url: string, { body, token, method = body === undefined ? 'GET' : 'POST' }: Request = {}) => {
  const response = await fetch(url, {
    method,
    headers: {
      'app-name': 'demo',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text;
};

interface Request {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly method?: string;
}

interface Person {
  readonly id: string;
  readonly profiles: readonly { readonly id: string }[];
}

const signedIn = async (base: string, email: string): Promise<string> => {
  const body = { type: 'USERPASS', platform: 'WEB', email, password: PASSWORD };
  return (JSON.parse(await request(`${base}/auth-service/auth`, { body })) as { token: string }).token;
};

/** Registers a person with one profile, approves it as the administrator and returns the path of the profile. */
const approved = async (base: string, token: string, person: Readonly<Record<string, unknown>>): Promise<string> => {
  const { id, profiles } = JSON.parse(await request(`${base}/users/doctor`, { body: person, token })) as Person;
  const profile = `/users/${id}/profiles/${profiles[0]?.id}`;
  const body = { reason: 'The registration was checked with the council.' };
  await request(`${base}${profile}/approve`, { method: 'PATCH', body, token });
  return profile;
};

const personOf = (firstName: string, lastName: string, profile: Readonly<Record<string, unknown>>) => ({
  firstName,
  lastName,
  document: `MG-${firstName}`,
  profiles: [profile],
  auth: { email: `${firstName.toLowerCase()}@example.org`, password: PASSWORD },
});

/** Approves a doctor and saves the evidence and the key, as an auditor does. */
const evidenceOf = async (base: string) => {
  chapter('An administrator approves a doctor');
  const create = ['admin', 'create', '--email', 'rita@example.org', '--name', 'Rita Alves'];
  run(`npm run cli -- ${create.slice(0, 4).join(' ')} --name "Rita Alves"`, ['dist/bundle/cli.js', ...create], {
    input: `${PASSWORD}\n`,
  });
  const rita = await signedIn(base, 'rita@example.org');
  await approved(base, rita, personOf('Davi', 'Rocha', { type: 'AUDITOR' }));
  const doctor = { documentDoctor: 'CRM/SP 123456', documentDoctorState: 'SP' };
  const profile = await approved(base, rita, personOf('Ana', 'Souza', doctor));
  say(`  approved: ${profile}`);

  chapter('An auditor saves the evidence');
  const token = await signedIn(base, 'davi@example.org');
  const path = `${profile}/history/evidence`;
  const evidence = await eventually(() => request(`${base}${path}`, { token }));
  const file = join(work, 'evidence.json');
  writeFileSync(file, evidence);
  const key = (await request(`${base}/audit/log/key`)).trim();
  say(`  GET ${path}\n    ${evidence.length} characters, in ${file}`);
  say(`  GET /audit/log/key\n    ${key}`);
  return { file, key, token, profile };
};

/** Calls until a call succeeds: the worker signs the log about once a second. */
const eventually = async <T>(call: () => Promise<T>): Promise<T> => {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > until) throw error;
      await pause(500);
    }
  }
};

/** Changes the approval to a rejection in a copy of the stores, as an attacker with access to the files could. */
const tampered = (user: string): string => {
  const copy = join(work, 'copy');
  cpSync(data, copy, { recursive: true });
  const db = new Database(join(copy, 'facts.sqlite'));
  const { changes } = db
    .prepare("UPDATE events SET type = 'UserProfileRejected' WHERE type = 'UserProfileApproved' AND stream = ?")
    .run(`user-${user}`);
  db.close();
  if (changes !== 1) throw new Error('the log has no approval to change');
  return copy;
};

const mustBe = (code: number | null, wanted: number, what: string): void => {
  if (code !== wanted) throw new Error(`${what}: exit code ${code}, expected ${wanted}`);
};

const main = async (): Promise<void> => {
  const { service, base } = await startService();
  let saved: Awaited<ReturnType<typeof evidenceOf>>;
  try {
    saved = await evidenceOf(base);
    chapter("Go's own libraries and a Tessera client verify the log");
    await walkLog(base, saved.key, saved.token);
  } finally {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }

  chapter('The evidence is verified without the service');
  const verify = ['verifier/verify.mjs', saved.file, '--key', saved.key];
  mustBe(run('node verifier/verify.mjs evidence.json --key KEY', verify), 0, 'the evidence does not verify');

  chapter('In a copy of the log, the approval becomes a rejection');
  const copy = tampered(saved.profile.split('/')[2] ?? '');
  const prove = ['dist/bundle/cli.js', 'audit', 'prove'];
  mustBe(run('npm run cli -- audit prove', prove, { directory: copy }), 1, 'the check did not find the change');
  mustBe(run('npm run cli -- audit prove   # the log itself', prove), 0, 'the unchanged log does not verify');
  say(`\nThe files are in ${work}`);
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
