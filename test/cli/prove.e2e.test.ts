// The operator's check of the signed log, run with the built tool beside a running service and on altered copies.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { createInstitution, createQuestionnaire } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { type ProgramResult, runCli } from '../support/process.js';
import { Server } from '../support/server.js';
import { outputOf, refusalOf } from './support/tool.js';

const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite', 'work.sqlite', 'master.key'];
const whole = temporaryDirectory();
const ALL_SIGNED = /^OK: all \d+ events are signed and match; \d+ checkpoints? compared\n$/;

beforeAll(async () => {
  const server = new Server(whole);
  await server.start();
  const { id } = await createInstitution(server);
  await createQuestionnaire(server, id);
  await eventually(async () => expect((await runCli(whole, 'audit', 'prove')).out).toMatch(ALL_SIGNED));
  expect(await server.stop()).toBe(0);
});

const copied = (): string => {
  const directory = temporaryDirectory();
  for (const file of FILES) copyFileSync(join(whole, file), join(directory, file));
  return directory;
};
const altered = (statement: string, file = 'facts'): string => {
  const directory = copied();
  const db = new Database(join(directory, `${file}.sqlite`));
  db.exec(statement);
  db.close();
  return directory;
};
const prove = (directory: string, ...args: readonly string[]) => runCli(directory, 'audit', 'prove', ...args);
const expectFault = ({ code, out, err }: ProgramResult, fault: RegExp) => {
  expect(code).toBe(1);
  expect(out).toMatch(fault);
  expect(err).not.toMatch(/^ +at /m);
};

describe('audit checkpoint', () => {
  it('prints the newest checkpoint, which audit prove accepts as a copy', async () => {
    const out = await outputOf(whole, 'audit', 'checkpoint');
    const copy = join(temporaryDirectory(), 'today.checkpoint');
    writeFileSync(copy, out);
    expect(await prove(whole, '--checkpoint', copy)).toMatchObject({ code: 0 });
    writeFileSync(copy, out.replace(/\n(\d+)\n/, '\n1\n'));
    expectFault(await prove(whole, '--checkpoint', copy), /today\.checkpoint/);
  });

  it('needs only facts and vault', async () => {
    const directory = temporaryDirectory();
    for (const name of ['facts.sqlite', 'vault.sqlite', 'master.key'])
      copyFileSync(join(whole, name), join(directory, name));
    await outputOf(directory, 'audit', 'checkpoint');
  });

  it('prints nothing and exits with 1 if nothing is signed', async () => {
    const refusal = await refusalOf(altered('DELETE FROM records', 'vault'), 'audit', 'checkpoint');
    expect(refusal).toMatch(/no checkpoint is signed/);
  });
});

const RENAMED = `UPDATE events SET data = json_set(data, '$.name', 'Another') WHERE type = 'InstitutionCreated'`;

describe('audit prove', () => {
  it('finds no fault in unaltered stores, and changes nothing', async () => {
    const directory = copied();
    for (let times = 0; times < 2; times += 1) {
      expect(await prove(directory)).toMatchObject({ code: 0, out: expect.stringMatching(ALL_SIGNED), err: '' });
    }
  });

  it('names an altered event, even after the read models were rebuilt from it', async () => {
    const directory = altered(RENAMED);
    rmSync(join(directory, 'views.sqlite'));
    const server = new Server(directory);
    await server.start();
    await eventually(async () =>
      expect(await runCli(directory, 'audit', 'replay', '--all', '--compare')).toMatchObject({ code: 0 }),
    );
    expect(await server.stop()).toBe(0);
    expectFault(
      await prove(directory),
      /^FAULT: the event at index \d+ differs from the signed log: event .* of institution-/m,
    );
    expect((await prove(directory)).err).toMatch(/^NOT OK: the log differs/);
    expectFault(await runCli(directory, 'verify'), /^audit-log FAULT: .*the event at index/m);
  });

  it.each([
    ['a payload that is not JSON', `UPDATE events SET data = '{' WHERE position = 1`, /position 0{15}1 cannot be read/],
    [
      'metadata that are not JSON',
      `UPDATE events SET metadata = 'x' WHERE position = 1`,
      /position 0{15}1 cannot be read/,
    ],
    [
      'a stream of an unknown aggregate',
      `UPDATE events SET stream = 'x' || stream WHERE position = 1`,
      /is of no known aggregate/,
    ],
    ['everything removed', 'DELETE FROM events', /the log is empty/],
  ])('names %s', async (_, statement, fault) => expectFault(await prove(altered(statement)), fault));

  it('names a page that SQLite cannot read', async () => {
    const directory = copied();
    const file = join(directory, 'facts.sqlite');
    const bytes = readFileSync(file);
    // The first byte of each page after the first is the type of the page.
    for (let at = 4_096; at < bytes.length; at += 4_096) bytes[at] = 0xff;
    writeFileSync(file, bytes);
    expectFault(await prove(directory), /^FAULT: .*facts\.sqlite: /m);
    expectFault(await runCli(directory, 'verify'), /^audit-log FAULT: /m);
  });

  it('accepts checkpoints that were kept elsewhere, as files and directories', async () => {
    const db = new Database(join(whole, 'vault.sqlite'), { readOnly: true });
    const note = db.prepareValue<[], string>("SELECT value ->> '$.signed.note' FROM records WHERE kind = 'log-state'");
    const text = note.get() ?? '';
    db.close();
    const share = temporaryDirectory();
    mkdirSync(join(share, '.git'));
    for (const name of ['a.checkpoint', 'README.md']) writeFileSync(join(share, name), text);
    expect(await prove(whole, '--checkpoint', join(share, 'a.checkpoint'), share)).toMatchObject({ code: 0 });
    writeFileSync(join(share, 'b.checkpoint'), text.replace(/\n\d+\n/, '\n7\n'));
    expectFault(await prove(whole, '--checkpoint', share), /^FAULT: .*b\.checkpoint was altered/m);
    expect(await prove(whole, '--checkpoint', join(share, 'none'))).toMatchObject({ code: 1, out: '' });
    // If the facts and the vault are equally old, only a checkpoint from elsewhere shows the loss.
    const older = temporaryDirectory();
    const server = new Server(older);
    await server.start();
    expect(await server.stop()).toBe(0);
    rmSync(join(share, 'b.checkpoint'));
    expect(await prove(older)).toMatchObject({ code: 0, out: 'OK: the log has no events\n' });
    expectFault(
      await prove(older, '--checkpoint', share),
      /^FAULT: .*a\.checkpoint was altered, or belongs to another log/m,
    );
  });
});
