import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { OUTBOX_RETENTION_MS, OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { type Arrived, notifierSuite } from './notifier.suite.js';

const program = fileURLToPath(new URL('./support/outbox-process.ts', import.meta.url));
const never = new AbortController().signal;
const message: Message = {
  id: 'one',
  person: 'ana',
  channel: 'SMS',
  to: '+5511987654321',
  subject: '',
  text: '123456',
  writtenAt: 0,
};

const filesIn = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.json'));
const readFrom = (directory: string): readonly Message[] =>
  filesIn(directory).map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as Message);

notifierSuite('an outbox', async () => {
  const directory = join(temporaryDirectory(), 'outbox');
  mkdirSync(directory);
  const arrived = async (): Promise<readonly Arrived[]> =>
    statSync(directory).isDirectory() ? readFrom(directory).map(({ id, to, text }) => ({ id, to, text })) : [];
  const refuse = () => {
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'not a directory');
  };
  return { notifier: new OutboxNotifier(directory), arrived, refuse };
});

describe('an outbox', () => {
  it('is created with the first message, is accessible only to its owner, and has only complete messages', async () => {
    const directory = join(temporaryDirectory(), 'data', 'outbox');
    await new OutboxNotifier(directory).send(message, never);
    expect(readdirSync(directory)).toEqual(['one.json']);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'one.json')).mode & 0o777).toBe(0o600);
    expect(readFrom(directory)).toEqual([message]);
  });

  it('removes messages older than a day, and does nothing if it does not exist', async () => {
    const directory = join(temporaryDirectory(), 'outbox');
    const outbox = new OutboxNotifier(directory);
    for (const id of ['old', 'young']) await outbox.send({ ...message, id }, never);
    const age = (name: string, ms: number) =>
      utimesSync(join(directory, name), new Date(), new Date(Date.now() - OUTBOX_RETENTION_MS + ms));
    age('old.json', -60_000);
    age('young.json', 60_000);
    await outbox.removeOld();
    expect(filesIn(directory)).toEqual(['young.json']);
    await new OutboxNotifier(join(temporaryDirectory(), 'outbox')).removeOld();
  });

  it('removes the messages to a person at any contact, and no others', async () => {
    const directory = join(temporaryDirectory(), 'outbox');
    const outbox = new OutboxNotifier(directory);
    const sent = [
      { id: 'a', person: 'ana', to: 'ana@example.org' },
      { id: 'b', person: 'ana', to: '+5511987654321' },
      { id: 'c', person: 'joana', to: 'ana@example.org' },
    ];
    for (const each of sent) await outbox.send({ ...message, ...each }, never);
    await outbox.removeTo('ana');
    expect(filesIn(directory)).toEqual(['c.json']);
    await outbox.removeTo('nobody');
    expect(filesIn(directory)).toEqual(['c.json']);
  });

  it('writes only to its directory, whatever the id', async () => {
    const directory = join(temporaryDirectory(), 'outbox');
    await new OutboxNotifier(directory).send({ ...message, id: '../../escaped' }, never);
    expect(filesIn(directory)).toHaveLength(1);
  });

  it('has no partial message if the writing process is killed', async () => {
    const directory = join(temporaryDirectory(), 'outbox');
    const child = spawn(process.execPath, ['--import', 'tsx', program, directory], { stdio: 'ignore' });
    const exit = once(child, 'exit');
    await eventually(() => expect(filesIn(directory).length).toBeGreaterThan(20));
    child.kill('SIGKILL');
    await exit;
    for (const { text } of readFrom(directory)) expect(text).toMatch(/^x{200000}$/);
  });
});
