// The operator's commands that create administrators and auditors, run with the built tool beside a running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDoctor, doctor, newEmail, UNKNOWN_ID } from '../http/support/samples.js';
import { PASSWORD, signIn, trySignIn } from '../http/support/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { first } from '../support/items.js';
import { type ProgramResult, run } from '../support/process.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const server = new Server(temporaryDirectory());
beforeAll(() => server.start());
afterAll(() => server.stop());

const create = (words: readonly string[], input?: string): Promise<ProgramResult> =>
  run('cli', { environment: { DATA_DIR: server.directory }, arguments: ['admin', 'create', ...words], input });

const idIn = ({ code, out, err }: ProgramResult): string => {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).not.toContain(PASSWORD);
  return /[0-9a-f-]{36}/.exec(out)?.[0] ?? 'no id';
};
const typesOf = async (userId: string) =>
  (await recordedIn(server.directory, `user-${userId}`)).map(({ type, metadata }) => [type, metadata.actor.id]);

describe('admin create', () => {
  it('creates an administrator who can sign in, as a decision of the operator', async () => {
    const email = newEmail();
    const id = idIn(await create(['--email', email, '--name', 'Ana de Lima'], `${PASSWORD}\n`));
    const { user } = await signIn(server, email);
    expect(user).toMatchObject({ id, firstName: 'Ana', lastName: 'de Lima', enabled: true });
    expect(first(user.profiles)).toMatchObject({ type: 'ADMINISTRATOR', approvalStatus: 'APPROVED', enabled: true });
    expect(await typesOf(id)).toEqual([
      ['UserRegistered', 'operator'],
      ['UserProfileAdded', 'operator'],
      ['UserProfileApproved', 'operator'],
      ['UserActivated', 'operator'],
    ]);
  });

  it('accepts first and last name separately, and derives a first name from the e-mail address if no name is given', async () => {
    const named = newEmail();
    idIn(await create(['--email', named, '--first-name', 'Ana Rita', '--last-name', 'Lima'], `${PASSWORD}\n`));
    expect((await signIn(server, named)).user).toMatchObject({ firstName: 'Ana Rita', lastName: 'Lima' });
    const unnamed = newEmail();
    idIn(await create(['--email', unnamed], `${PASSWORD}\n`));
    const [mailbox] = unnamed.split('@');
    expect((await signIn(server, unnamed)).user).toMatchObject({ firstName: mailbox, lastName: '(administrator)' });
  });

  it('accepts an internationalized domain, and the password in any Unicode form', async () => {
    const email = newEmail().replace(/@.*/, '@clinica.xn--h2brj9c');
    const password = 'Řeka teče dál';
    const id = idIn(await create(['--email', email], `${password.normalize('NFD')}\n`));
    for (const form of ['NFC', 'NFD'] as const) {
      expect((await trySignIn(server, email, password.normalize(form))).body.user.id).toBe(id);
      expect(idIn(await create(['--email', email], `${password.normalize(form)}\n`))).toBe(id);
    }
  });

  it.each([
    ['white space', ' ', `${PASSWORD}\n`],
    ['a character that nobody sees', '\u200e', `${PASSWORD}\n`],
    ['a password that is easy to guess in another form', '', 'ｐａｓｓｗｏｒｄ１\n'],
  ])('refuses an address or a password with %s', async (_, around, input) => {
    const refused = await create(['--email', `${newEmail()}${around}`], input);
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/email|password/) });
  });

  it.each([
    ['one word', ['--name', 'Ana']],
    ['a duplicate name', ['--name', 'Ana Lima', '--first-name', 'Ana']],
  ])('refuses %s as a name', async (_, words) => {
    const refused = await create(['--email', newEmail(), ...words], `${PASSWORD}\n`);
    expect(refused).toEqual({ code: 1, out: '', err: expect.stringContaining('--name') });
  });

  it('makes an existing user, named by id, an administrator and keeps the password', async () => {
    const [email, password] = [newEmail(), 'another password altogether'];
    const { id } = await createDoctor(server, doctor({ auth: { email, password } }));
    const promoted = await create(['--user', id.toUpperCase()]);
    expect(idIn(promoted)).toBe(id);
    expect(promoted.out).toContain('name and password are unchanged');
    expect((await trySignIn(server, email)).status).toBe(401);
    expect((await trySignIn(server, email, password)).body.user.profiles).toMatchObject([
      { type: 'DOCTOR_GENERALIST', approvalStatus: 'ANALYSING' },
      { type: 'ADMINISTRATOR', approvalStatus: 'APPROVED' },
    ]);
  });

  it("keeps the reason of somebody else's approval", async () => {
    const { id, profiles } = await createDoctor(server, doctor({ profiles: [{ type: 'ADMINISTRATOR' }] }));
    await server.patch(`/users/${id}/profiles/${first(profiles).id}/approve`, { reason: 'Head of the clinic.' });
    expect(idIn(await create(['--user', id]))).toBe(id);
    expect((await typesOf(id)).map(([type]) => type)).not.toContain('UserProfileDecisionExplained');
  });

  it('grants nothing to an attacker who signed up earlier with the address and another password', async () => {
    const [email, password] = [newEmail(), 'the password of somebody else'];
    const { id } = await createDoctor(
      server,
      doctor({ auth: { email, password }, profiles: [{ type: 'ADMINISTRATOR' }] }),
    );
    const refused = await create(['--email', email.toUpperCase()], PASSWORD);
    expect(refused).toEqual({ code: 1, out: '', err: expect.stringContaining(`--user ${id}`) });
    expect((await typesOf(id)).map(([type]) => type)).toEqual(['UserRegistered', 'UserProfileAdded']);
  });

  it('completes an interrupted run, and records nothing if it is repeated', async () => {
    const email = newEmail();
    const auth = { email, password: PASSWORD };
    const { id } = await createDoctor(server, doctor({ auth, profiles: [{ type: 'ADMINISTRATOR' }] }));
    expect(idIn(await create(['--email', email], PASSWORD))).toBe(id);
    const recorded = await typesOf(id);
    expect(recorded.map(([type]) => type)).toEqual([
      'UserRegistered',
      'UserProfileAdded',
      'UserProfileApproved',
      'UserActivated',
    ]);
    expect(idIn(await create(['--email', email], PASSWORD))).toBe(id);
    expect(await typesOf(id)).toEqual(recorded);
  });

  it.each([
    ['no e-mail', [], PASSWORD, /--email ADDRESS/],
    ['an e-mail and an id', ['--email', 'ana@example.org', '--user', UNKNOWN_ID], PASSWORD, /--user ID/],
    ['an invalid id', ['--user', 'ana'], undefined, /--user ID/],
    ['an unknown id', ['--user', UNKNOWN_ID], undefined, /There is no such user\. Pass the id/],
    ['an invalid e-mail address', ['--email', 'ana'], PASSWORD, /^email: /],
    ['a short password', ['--email', 'ana@example.org'], 'abc', /^password: must have at least 8 characters\n$/],
    ['no password', ['--email', 'ana@example.org'], undefined, /^password: /],
    ['an unknown option', ['--password', PASSWORD], PASSWORD, /--password/],
  ])('creates no administrator with %s', async (_, words, input, message) => {
    const before = await recordedIn(server.directory);
    expect(await create(words, input)).toEqual({ code: 1, out: '', err: expect.stringMatching(message) });
    expect(await recordedIn(server.directory)).toEqual(before);
  });

  it('reports that a disabled user still cannot sign in', async () => {
    const email = newEmail();
    const { id } = await createDoctor(server, doctor({ auth: { email, password: PASSWORD } }));
    expect((await server.put(`/users/${id}`, { enabled: false })).status).toBe(200);
    expect((await create(['--email', email], PASSWORD)).out).toContain('disabled');
  });
});

describe('auditor create', () => {
  it('creates an auditor who can sign in, as a decision of the operator', async () => {
    const email = newEmail();
    const created = await run('cli', {
      environment: { DATA_DIR: server.directory },
      arguments: ['auditor', 'create', '--email', email, '--name', 'Davi Rocha'],
      input: `${PASSWORD}\n`,
    });
    const id = idIn(created);
    expect(created.out).toBe(`user ${id} is an auditor\n`);
    const { user } = await signIn(server, email);
    expect(user).toMatchObject({ id, firstName: 'Davi', lastName: 'Rocha' });
    expect(user.profiles).toMatchObject([{ type: 'AUDITOR', approvalStatus: 'APPROVED', enabled: true }]);
    const approved = (await recordedIn(server.directory, `user-${id}`)).map(({ type }) => type);
    expect(approved).toEqual(['UserRegistered', 'UserProfileAdded', 'UserProfileApproved', 'UserActivated']);
  });
});
