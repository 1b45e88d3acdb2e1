// Who owns the files and directories that the program makes and replaces.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureDirectory, ensureFile, handOver, writeNewFile } from '../../src/infrastructure/durable-files.js';
import { temporaryDirectory } from '../support/directory.js';
import { asNobody, describeAsRoot, NOBODY } from '../support/root.js';

/** Returns a directory of a user, in which the group may do what the user may. */
const directoryOf = (uid: number, gid: number): string => {
  const directory = temporaryDirectory();
  chownSync(directory, uid, gid);
  chmodSync(directory, 0o770);
  return directory;
};
/** Makes a file that shall replace the file `old`. */
const replaceOld = (directory: string): void => {
  const made = join(directory, 'new');
  writeFileSync(made, 'new', { mode: 0o600 });
  handOver(made, statSync(join(directory, 'old')));
};
const fileIn = (directory: string): string => {
  writeFileSync(join(directory, 'file'), 'text');
  return join(directory, 'file');
};
const ownerOf = (path: string) => {
  const { uid, gid, mode } = statSync(path);
  return [uid, gid, (mode & 0o777).toString(8)];
};

describeAsRoot('who owns what the program makes', () => {
  const makers = [
    [
      'a written file',
      'written',
      '600',
      (path: string) => {
        writeFileSync(path, 'text', { mode: 0o600 });
        handOver(path);
      },
    ],
    ['an ensured file', 'ensured', '600', (path: string) => ensureFile(path)],
    ['a directory', 'made', '700', (path: string) => ensureDirectory(path)],
  ] as const;

  describe.each(makers)('%s', (_, name, mode, make) => {
    it.each([
      [65_534, 65_534],
      [1_000, 2_000],
      [12_345, 0],
    ] as const)('that root makes in a directory of user %i and group %i is theirs', (uid, gid) => {
      const path = join(directoryOf(uid, gid), name);
      make(path);
      expect(ownerOf(path)).toEqual([uid, gid, mode]);
    });

    it('that root makes in its own directory is its own, whatever the group', () => {
      const path = join(directoryOf(0, 2_000), name);
      make(path);
      expect(ownerOf(path)).toEqual([0, 0, mode]);
    });

    it('that another user makes in a directory of its group is its own', () => {
      const path = join(directoryOf(0, NOBODY), name);
      asNobody(() => make(path));
      expect(ownerOf(path)).toEqual([NOBODY, NOBODY, mode]);
    });
  });

  it('directories that root makes on the way to another are those of the user above', () => {
    const path = join(directoryOf(1_000, 2_000), 'one', 'two', 'three');
    ensureDirectory(path);
    for (const made of [path, dirname(path), dirname(dirname(path))])
      expect(ownerOf(made)).toEqual([1_000, 2_000, '700']);
  });

  it('a file or a directory that exists stays as it is', () => {
    const directory = directoryOf(1_000, 2_000);
    writeFileSync(join(directory, 'file'), 'text', { mode: 0o640 });
    mkdirSync(join(directory, 'directory'), { mode: 0o750 });
    ensureFile(join(directory, 'file'));
    ensureDirectory(join(directory, 'directory'));
    expect(ownerOf(join(directory, 'file'))).toEqual([0, 0, '640']);
    expect(ownerOf(join(directory, 'directory'))).toEqual([0, 0, '750']);
    expect(() => ensureDirectory(join(directory, 'file'))).toThrow(/EEXIST/);
  });

  describe('a file that replaces another', () => {
    it.each([
      [65_534, 65_534, 0o600],
      [1_000, 2_000, 0o640],
      [0, 2_000, 0o440],
    ] as const)('has its user %i, its group %i and its mode', (uid, gid, mode) => {
      const directory = directoryOf(3_000, 3_000);
      const old = join(directory, 'old');
      writeFileSync(old, 'old');
      chownSync(old, uid, gid);
      chmodSync(old, mode);
      replaceOld(directory);
      expect(ownerOf(join(directory, 'new'))).toEqual([uid, gid, mode.toString(8)]);
    });

    it.each([
      ['root', 0, 0],
      ['another user', 1_000, NOBODY],
      ['a group that this user is not in', NOBODY, 1_000],
    ] as const)('of %s is refused to a user who could not keep that, and nothing is left', (_, uid, gid) => {
      const directory = directoryOf(0, NOBODY);
      const old = join(directory, 'old');
      writeFileSync(old, 'old');
      chownSync(old, uid, gid);
      asNobody(() => expect(() => replaceOld(directory)).toThrow(`user ${uid} and group ${gid}`));
      expect(readdirSync(directory)).toEqual(['old']);
    });
  });

  it.each([
    ['a directory', () => temporaryDirectory()],
    ['a file', () => fileIn(temporaryDirectory())],
    ['nothing', () => join(temporaryDirectory(), 'missing')],
  ])('no link to %s is followed', (_, newTarget) => {
    const [directory, target] = [directoryOf(1_000, 1_000), newTarget()];
    const link = join(directory, 'link');
    symlinkSync(target, link);
    const before = existsSync(target) && ownerOf(target);
    expect(() => handOver(link)).toThrow(/ELOOP/);
    if (!existsSync(target)) expect(() => ensureFile(link)).toThrow(/ELOOP/);
    expect(existsSync(target) && ownerOf(target)).toEqual(before);
  });

  it('a file is written to stable storage for the user, and never over another', async () => {
    const directory = directoryOf(1_000, 2_000);
    await writeNewFile(join(directory, 'file'), 'text');
    expect(ownerOf(join(directory, 'file'))).toEqual([1_000, 2_000, '600']);
    await expect(writeNewFile(join(directory, 'file'), 'other')).rejects.toThrow(/EEXIST/);
    expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('text');
  });
});
