// Restores a backup of the embedded stores into an empty data directory.
import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncDirectory, syncFile, writeNewFile } from '../infrastructure/durable-files.js';
import { FORMAT } from '../infrastructure/sealing/format.js';
import type { MasterKeys } from '../infrastructure/sealing/master-key.js';
import type { Copies } from './backup.js';
import {
  BACKED_UP,
  BackupError,
  ERASED,
  type FileEntry,
  type Manifest,
  manifestOf,
  sha256Of,
} from './backup-format.js';
import { ErasureList } from './erasure-list.js';

/** The name of a file that marks an unfinished restore. No program opens a data directory with this file. */
export const UNFINISHED = 'restore-unfinished';

/** The target of a restore. */
export interface RestoreTarget {
  readonly copies: Copies;
  readonly dataDirectory: string;
  /** The store files that a data directory may have. */
  readonly storeFiles: readonly string[];
  readonly masterKeys: Pick<MasterKeys, 'find' | 'origin'>;
  /** The list of erasures that the service keeps. */
  readonly erasures: ErasureList | undefined;
  /**
   * Erases these users in the restored stores, and holds the signing of the audit log. Returns how many users were not
   * erased in the backup.
   */
  readonly settle: (userIds: readonly string[]) => Promise<number>;
}

/** The result of a restore. */
export interface Restored {
  readonly manifest: Manifest;
  /** The number of users who were erased after the backup, and whom the restore has erased again. */
  readonly erasedAgain: number;
}

/**
 * Restores a backup into a data directory without stores. Erases the users who were erased after the backup. Rejects
 * with `BackupError`, and leaves no store behind, if the backup is damaged, its master key is unknown, a newer program
 * made it, or the directory has stores. A restore that is cut off leaves a directory that no program opens. Running the
 * restore again starts over.
 */
export const restoreBackup = async (target: RestoreTarget, directory: string): Promise<Restored> => {
  const backup = resolve(directory);
  const manifest = await manifestOf(backup);
  if (manifest.storeFormat > FORMAT) {
    throw new BackupError(
      `${backup} has format ${manifest.storeFormat}, but this version supports only format ${FORMAT}: use the newer version`,
    );
  }
  mustHaveKeys(target, manifest);
  await mkdir(target.dataDirectory, { recursive: true, mode: 0o700 });
  await begin(target);
  try {
    for (const store of BACKED_UP) await place(target, backup, manifest[store]);
    const erasedAgain = await target.settle(await erasuresFor(target, backup));
    await rm(join(target.dataDirectory, UNFINISHED));
    await syncDirectory(target.dataDirectory);
    return { manifest, erasedAgain };
  } catch (error) {
    await clear(target);
    await rm(join(target.dataDirectory, UNFINISHED), { force: true });
    throw error;
  }
};

const mustHaveKeys = ({ masterKeys }: RestoreTarget, manifest: Manifest): void => {
  const missing = manifest.masterKeys.filter((id) => masterKeys.find(id) === undefined);
  if (missing.length === 0) return;
  throw new BackupError(
    `the keys in this backup are wrapped with the master key ${missing.join(', ')}, which is not in ${masterKeys.origin}: add the key and restore again`,
  );
};

/**
 * Marks the directory as unfinished. Removes the rest of an unfinished restore, but rejects if there are other stores.
 */
const begin = async (target: RestoreTarget): Promise<void> => {
  const { dataDirectory, storeFiles, copies } = target;
  const unfinished = join(dataDirectory, UNFINISHED);
  if (existsSync(unfinished)) return clear(target);
  const present = storeFiles.map((file) => join(dataDirectory, file)).filter((file) => existsSync(file));
  if (present.length > 0) {
    const used = present.filter(copies.isInUse);
    if (used.length > 0) throw new BackupError(`a service has ${used.join(', ')} open: stop every process first`);
    throw new BackupError(
      `${present.join(', ')} would be overwritten: move these files away, with their -wal and -shm`,
    );
  }
  await writeNewFile(unfinished, 'npm run cli -- restore has not ended. Run it again.\n');
  await syncDirectory(dataDirectory);
};

const place = async ({ dataDirectory, copies }: RestoreTarget, backup: string, entry: FileEntry): Promise<void> => {
  const { file, sha256, rows } = entry;
  const to = join(dataDirectory, file);
  await copyFile(join(backup, file), to, constants.COPYFILE_EXCL);
  if ((await sha256Of(to)) !== sha256)
    throw new BackupError(`${join(backup, file)} does not match the manifest of the backup`);
  if (JSON.stringify(copies.examineCopy(to).rows) !== JSON.stringify(rows)) {
    throw new BackupError(`${to} does not have the same rows as ${join(backup, file)}`);
  }
  await syncFile(to);
  await syncDirectory(dataDirectory);
};

/** Returns all users who are known to be erased, and adds them to the list of the service. */
const erasuresFor = async ({ erasures }: RestoreTarget, backup: string): Promise<readonly string[]> => {
  const besideBackup = await new ErasureList(join(dirname(backup), ERASED)).ids();
  await erasures?.add(besideBackup);
  return erasures === undefined ? besideBackup : erasures.ids();
};

const clear = async ({ dataDirectory, storeFiles }: RestoreTarget): Promise<void> => {
  for (const file of storeFiles) {
    for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDirectory, `${file}${suffix}`), { force: true });
  }
};
