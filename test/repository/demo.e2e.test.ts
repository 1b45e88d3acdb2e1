// Runs `npm run demo` against the service on its embedded stores.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MINUTE_MS, movableClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { PATH, run, runCli } from '../support/process.js';
import { startServer } from '../support/processes.js';
import type { Server } from '../support/server.js';

/** Runs the demo. `onMessage` is called when the demo begins to wait for the message about the approval. */
const runDemo = async (
  { url, directory }: Server,
  more: Readonly<Record<string, string>> = {},
  onMessage: () => void = () => {},
) => {
  const env = { PATH, HOME: process.env['HOME'], BASE_URL: url, DATA_DIR: directory, ...more };
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const child = spawn('npm', ['run', '--silent', 'demo'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    if (line.includes('two minutes after the decision')) onMessage();
  });
  const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return { code: code as number | null, out: lines.join('\n'), err };
};

const LIFE = [
  '- → ANALYSING',
  'ANALYSING → REJECTED',
  'REJECTED → ANALYSING',
  'ANALYSING → REJECTED',
  'REJECTED → APPROVED',
];

/** Expects a whole demo: the history of a profile, its past, the trail, the evidence, and an erased person. */
const expectWhole = ({ code, out, err }: Awaited<ReturnType<typeof runDemo>>): void => {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  // The only refusals in the demo are a change of a published form, a form with an error, an e-mail address that is
  // taken, and in a second run the specialties.
  const statuses = [...out.matchAll(/^ {4}response {2}(\d+) /gm)].map(([, status]) => Number(status));
  expect(statuses.length).toBeGreaterThan(30);
  expect(new Set(statuses.filter((status) => status >= 300))).toEqual(new Set([409]));
  for (const type of ['InstitutionCreated', 'ProtocolOptionRevised', 'UserProfileResubmitted', 'AuditTrailRead']) {
    expect(out).toContain(type);
  }
  for (const what of ['QuestionRemoved', 'FormPublished', 'FormRetired', 'Archived', 'Restored']) {
    expect(out).toMatch(new RegExp(`^ +\\d+ .*Protocol${what} +by`, 'm'));
  }
  expect(out).toContain('the analysis finds: The total 3 has no score range.');
  expect(out).toContain('the same answers now have the total 3: Mild');
  const between = (from: string, to: string): string => out.split(from)[1]?.split(to)[0] ?? '';
  // The first match is the heading of the table.
  const steps = (part: string) => [...part.matchAll(/\S+ → \S+/g)].slice(1).map(([step]) => step);
  const history = between("The history of Bruno's profile", 'The same profile');
  expect(steps(history)).toEqual(LIFE);
  expect(history).toContain('The council does not know this number.');
  expect(between('The same profile', 'The audit trail')).toMatch(/Z {2}ANALYSING.*\n {2}now +APPROVED/);
  const decided = between('Who approved whom', 'The audit trail');
  expect(decided).toMatch(/Bruno \S.* REJECTED → APPROVED +Reconsidered/);
  expect(decided).toMatch(/Ana \S.* APPROVED → APPROVED +The council confirmed it by letter/);
  const life = between('The history of Ana', 'Who approved whom');
  expect([...life.matchAll(/UserDetachedFrom(\w+)/g)].map(([, from]) => from)).toEqual(['Unity', 'Institution']);
  expect(between('forged decision', 'the files are in')).toMatch(/^ *NOT VERIFIED: /m);
  const erased = between('the history still says', 'Open next');
  expect(steps(erased)).toEqual([...LIFE, 'APPROVED → APPROVED']);
  expect(erased).not.toMatch(/CRM|council|copy/);
  expect(out).toContain('sealed in the log after   the same');
};

it('the demo runs, and runs again on the same service', async () => {
  const clock = movableClock();
  const server = await startServer(temporaryDirectory(), 'all', clock.environment);
  const shown = await runDemo(server, {}, () => clock.pass(2 * MINUTE_MS));
  expectWhole(shown);
  const message = shown.out.split('The message to Ana about the approval')[1]?.split('Open next')[0];
  expect(message).toMatch(/Your profile was approved\n[\s\S]+Olá,[\s\S]+Hello,/);
  expect(message).not.toMatch(/council|letter\./);
  const second = await runDemo(server, { DEMO_MESSAGE: 'off' });
  expectWhole(second);
  expect(second.out).toContain('Cardiology is already in the catalogue');
  expect(await runCli(server.directory, 'verify')).toMatchObject({ code: 0, err: '' });
});

it('if callers must sign in, the demo runs as an administrator whom the operator created', async () => {
  const server = await startServer(temporaryDirectory(), 'all', { AUTH: 'required' });
  const refused = await runDemo(server);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('npm run cli -- admin create --email')]);

  const [email, password] = ['chief@example.org', 'correct horse battery staple'];
  const create = { environment: { DATA_DIR: server.directory }, arguments: ['admin', 'create', '--email', email] };
  const made = await run('cli', { ...create, input: password });
  const [administrator] = /[0-9a-f-]{36}/.exec(made.out) ?? [];

  const shown = await runDemo(server, { DEMO_EMAIL: email, DEMO_PASSWORD: password, DEMO_MESSAGE: 'off' });
  expectWhole(shown);
  expect(shown.out).toContain(`UserProfileApproved          by ${administrator}`);
  expect(shown.out).not.toContain(password);
  expect(shown.out).not.toContain('anonymous');
  expect(shown.out).toMatch(/ {2}chief \(administrator\) {2}Bruno /);
});
