// Copies of several files as they are at the same moment, while other connections hold the locks of the files.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyTogether } from '../../../src/infrastructure/sqlite/copies.js';
import { openForWriting } from '../../../src/infrastructure/sqlite/database.js';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { temporaryDirectory } from '../../support/directory.js';

/** Creates files with a table of notes, and a connection to each that waits for no lock. */
const filesWithNotes = (names: readonly string[]) => {
  const directory = temporaryDirectory();
  return names.map((name) => {
    const from = join(directory, name);
    const db = openForWriting(from);
    onTestFinished(() => db.close());
    db.pragma('busy_timeout = 0');
    db.exec('CREATE TABLE notes (note TEXT) STRICT');
    const insert = db.prepare<[string]>('INSERT INTO notes VALUES (?)');
    return { db, copy: { from, to: join(directory, `${name}.copy`) }, write: (note: string) => insert.run(note) };
  });
};
const notesIn = (file: string): readonly string[] => {
  const db = new Database(file, { readOnly: true });
  const notes = db.prepareValue<[], string>('SELECT note FROM notes ORDER BY rowid').all();
  db.close();
  return notes;
};

describe('copies of several files', () => {
  it.each([
    [['facts', 'vault'], 'vault'],
    [['facts', 'vault'], 'facts'],
    [['a', 'b', 'c'], 'b'],
  ])('of %j wait for %s without keeping the locks of the others', async (names, locked) => {
    const files = filesWithNotes(names);
    const isLocked = ({ copy }: { readonly copy: { readonly from: string } }) => copy.from.endsWith(locked);
    const holder = files.find(isLocked);
    holder?.db.exec('BEGIN IMMEDIATE');
    holder?.write('in the transaction that holds the lock');
    const copied = copyTogether(files.map(({ copy }) => copy));
    const free = files.filter((file) => !isLocked(file));
    for (let turn = 0; turn < 100; turn += 1) {
      await nextTurn();
      for (const { write } of free) write(`${turn}`);
    }
    holder?.db.exec('COMMIT');
    await copied;
    expect(files.map(({ copy }) => notesIn(copy.to).length)).toEqual(names.map((name) => (name === locked ? 1 : 100)));
  });

  it('are refused if a lock stays taken, and leave all files to their writers', async () => {
    const files = filesWithNotes(['facts', 'vault']);
    files[1]?.db.exec('BEGIN IMMEDIATE');
    await expect(
      copyTogether(
        files.map(({ copy }) => copy),
        20,
      ),
    ).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    files[0]?.write('later');
  });
});
