// Runs npm run demo against the service on its embedded stores.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectPeopleIn, runDemo, statusesIn } from '../support/demo.js';
import { temporaryDirectory } from '../support/directory.js';
import { run, runCli } from '../support/process.js';
import { Server } from '../support/server.js';

const server = new Server(temporaryDirectory());
const guarded = new Server(temporaryDirectory(), { AUTH: 'required' });
beforeAll(() => Promise.all([server.start(), guarded.start()]));
afterAll(() => Promise.all([server.stop(), guarded.stop()]));

it('the demo runs, and runs again on the same service', async () => {
  const demo = () => runDemo({ BASE_URL: server.url, DATA_DIR: server.directory });
  const first = await demo();
  expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
  expectPeopleIn(first.out);
  // The only refusal in the demo is an e-mail address that is taken.
  expect(statusesIn(first.out).filter((status) => status >= 300)).toEqual([409]);

  const second = await demo();
  expect({ code: second.code, err: second.err }).toEqual({ code: 0, err: '' });
  expectPeopleIn(second.out);
  expect(second.out).toContain('Cardiology is already in the catalogue');
  expect(await runCli(server.directory, 'verify')).toMatchObject({ code: 0, err: '' });
}, 120_000);

it('if callers must sign in, the demo runs as an administrator whom the operator created', async () => {
  const target = { BASE_URL: guarded.url, DATA_DIR: guarded.directory };
  const refused = await runDemo(target);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('npm run cli -- admin create --email');

  const [email, password] = ['chief@example.org', 'correct horse battery staple'];
  const create = { environment: { DATA_DIR: guarded.directory }, arguments: ['admin', 'create', '--email', email] };
  const made = await run('cli', { ...create, input: password });
  expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
  const [administrator] = /[0-9a-f-]{36}/.exec(made.out) ?? [];

  const { code, out, err } = await runDemo({ ...target, DEMO_EMAIL: email, DEMO_PASSWORD: password });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expectPeopleIn(out);
  expect(statusesIn(out).filter((status) => status >= 300)).toEqual([409]);
  expect(out).toContain(`UserProfileApproved          by ${administrator}`);
  expect(out).not.toContain(password);
  expect(out).not.toContain('anonymous');
  expect(await runCli(guarded.directory, 'verify')).toMatchObject({ code: 0, err: '' });
}, 120_000);
