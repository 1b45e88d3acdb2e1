// Records the embedded stores of a built service, as a killed process leaves them. It is run by hand, once for a
// commit: `node record.mjs <checkout with dist> <new directory>` (Node.js 22.13 or later, for node:sqlite).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const [checkout, target] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'recording-'));
const bundle = join(checkout, 'dist/bundle');
// Nothing listens on port 9, so every message waits for its next attempt.
const env = {
  DATA_DIR: directory,
  PORT: '0',
  AUTH: 'required',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'no-reply@example.org',
};
const administrator = { email: 'admin@example.org', password: 'correct horse battery staple' };

const child = spawn(process.execPath, [join(bundle, 'main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const { promise: listening, resolve: listens } = Promise.withResolvers();
createInterface(child.stdout).on('line', (line) => {
  const { url } = JSON.parse(line);
  if (url !== undefined) listens(url);
});
const url = await listening;

/** Waits until a query on a file of the stores finds a row. */
const until = async (file, query) => {
  const db = new DatabaseSync(join(directory, file), { readOnly: true });
  while (db.prepare(query).get() === undefined) await pause(5);
  db.close();
};
/** Keeps everybody else from writing to a file of the stores. Returns the function that ends this. */
const lock = (file) => {
  const db = new DatabaseSync(join(directory, file));
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
};

const requests = [];
let authorization = {};
const send = async (method, path, body, headers = {}) => {
  const sent = { 'Content-Type': 'application/json', ...authorization, ...headers };
  const response = await fetch(`${url}${path}`, { method, headers: sent, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return { status: response.status, answer };
};
/** Sends a request with a key, and notes both. */
const keyed = async (key, method, path, body) => {
  const { status, answer } = await send(method, path, body, { 'Idempotency-Key': key });
  requests.push({ key, method, path, body, status, answer, isAnonymous: authorization.Authorization === undefined });
  return answer;
};
const person = (n) => ({ firstName: `Person ${n}`, lastName: 'Souza', document: `MG-${n}00200300` });
const doctor = (n) => ({
  ...{ ...person(n), birthDate: '1980-02-29', dialingCode: '55', phone: `11 91234-567${n}` },
  profiles: [{ documentDoctor: `CRM/SP 12345${n}`, documentDoctorUpdatedAt: '2025-12-31', specialties: [] }],
  auth: { email: `person${n}@example.org`, password: administrator.password, token: '' },
});
const newcomer = (n) => ({
  ...person(n),
  acceptTerms: true,
  profiles: [{ documentDoctor: `COREN ${n}`, type: 'NURSE', specialties: [{ description: `Specialty ${n}` }] }],
  auth: { email: `person${n}@example.org`, password: administrator.password, type: 'USERPASS' },
});
const range = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1));
const question = (options) => (n) => ({
  ...{ questionText: `Question ${n}`, responseType: 'SELECT', metadata: {}, required: true, weight: 1, position: n },
  options: range(options, (score) => ({ optionText: `Option ${score}`, score, position: score })),
});
const questionnaire = (institutionId, name, questions) => ({
  ...{ institutionId, name, prompt: 'Ask.', questions: range(questions, question(3)) },
  scoreRanges: [{ minScore: 0, maxScore: 900, classification: 'Any' }],
});

execFileSync(process.execPath, [join(bundle, 'cli.js'), 'admin', 'create', '--email', administrator.email], {
  ...{ env, input: `${administrator.password}\n` },
});
const signIn = { type: 'USERPASS', platform: 'WEB', ...administrator };
const { answer: session } = await send('POST', '/auth-service/auth', signIn);
const signedIn = { Authorization: `Bearer ${session.token}` };
authorization = signedIn;

const institution = await keyed('plain', 'POST', '/institutions', { name: 'Hospital', unities: [{ name: 'Ward' }] });
const small = await keyed('small', 'POST', '/protocols/questionnaires', questionnaire(institution.id, 'Small', 2));
await keyed('large', 'POST', '/protocols/questionnaires', questionnaire(institution.id, 'Large', 12));
await send('POST', `/protocols/${small.protocol.id}/forms/${small.form.id}/publish`, {});
const [approved, decided, noticed] = [
  await keyed('personal', 'POST', '/users/doctor', doctor(1)),
  await keyed('decided', 'POST', '/users/doctor', doctor(2)),
  await keyed('noticed', 'POST', '/users/doctor', doctor(3)),
];
const unity = institution.unities[0];
const userIds = { userIds: [approved.id, decided.id] };
await keyed('personal-list', 'POST', `/institutions/${institution.id}/unities/${unity.id}/users`, userIds);
await keyed('decision', 'PATCH', `/users/${approved.id}/profiles/${approved.profiles[0].id}/approve`, {});
authorization = {};
const queued = await keyed('anonymous', 'POST', '/auth-service/signup', newcomer(4));
// The decision and the codes have become jobs, and a code was tried.
await until('work.sqlite', "SELECT 1 FROM jobs WHERE queue = 'notifications' AND attempt > 0");
await until('work.sqlite', "SELECT 1 FROM jobs WHERE queue <> 'notifications' AND planned = 1");
await until('vault.sqlite', "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM records WHERE kind LIKE '%message')");
await until('vault.sqlite', "SELECT 1 FROM records WHERE kind LIKE '%log%'");

const unlockWork = lock('work.sqlite');
const waiting = await keyed('waiting', 'POST', '/auth-service/signup', newcomer(5));
authorization = signedIn;
await send('PATCH', `/users/${decided.id}/profiles/${decided.profiles[0].id}/approve`, {});
// The change of an address is recorded, and its notice cannot become a code.
const unlockFacts = lock('facts.sqlite');
const change = { id: noticed.id, email: 'new.person3@example.org' };
// The service is killed before it responds.
send('PUT', `/users/${noticed.id}`, change).catch(() => undefined);
await until('vault.sqlite', "SELECT 1 FROM records WHERE kind = 'message' AND value NOT LIKE '%\"record\"%'");
const unlockVault = lock('vault.sqlite');
unlockFacts();
await until('facts.sqlite', `SELECT 1 FROM events WHERE stream = 'user-${noticed.id}' AND revision > 0`);
child.kill('SIGKILL');
await once(child, 'close');
const recordedAt = new Date().toISOString();
unlockVault();
unlockWork();

for (const file of readdirSync(directory).filter((name) => name.endsWith('.sqlite'))) {
  const db = new DatabaseSync(join(directory, file));
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}
for (const name of readdirSync(directory).filter((each) => each.startsWith('owner.'))) rmSync(join(directory, name));
// .gitignore excludes the usual name.
renameSync(join(directory, 'master.key'), join(directory, 'kept.key'));
const users = {
  approved: approved.id,
  decided: decided.id,
  noticed: noticed.id,
  queued: queued.id,
  waiting: waiting.id,
};
const { refreshToken } = session;
const recorded = { recordedAt, administrator, refreshToken, users, requests };
writeFileSync(join(directory, 'recorded.json'), `${JSON.stringify(recorded, undefined, 1)}\n`);
execFileSync('cp', ['-r', directory, target]);
rmSync(directory, { recursive: true });
