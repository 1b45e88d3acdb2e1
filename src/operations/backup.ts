// Makes a backup of the embedded stores beside a running service.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncDirectory, syncFile, writeNewFile } from '../infrastructure/durable-files.js';
import { type MasterKeys, macOf } from '../infrastructure/sealing/master-key.js';
import {
  BACKED_UP_FILES,
  BACKUP_FORMAT,
  BackupError,
  describeFile,
  ERASED,
  MANIFEST,
  type Manifest,
} from './backup-format.js';
import type { ErasureList } from './erasure-list.js';

/** Copies and examines the files of the stores. */
export interface Copies {
  readonly copyTogether: (copies: readonly { readonly from: string; readonly to: string }[]) => Promise<void>;
  readonly mustBeWhole: (file: string) => void;
  readonly describeVaultCopy: (file: string) => Pick<Manifest, 'storeFormat' | 'masterKeys'>;
}

/** The sources of a backup. */
export interface BackedUpStores {
  readonly copies: Copies;
  readonly dataDirectory: string;
  /** The current master key makes the MAC of the manifest. */
  readonly masterKeys: MasterKeys;
  /** The list of erasures that this service keeps. */
  readonly erasures: ErasureList | undefined;
}

/**
 * Makes a backup in a new directory, and adds the erasures to the list beside it. The backup contains every write that
 * was acknowledged before, and both stores have the state of the same moment. Rejects with `BackupError` if the
 * directory exists. A backup that is cut off leaves no directory with this name.
 */
export const makeBackup = async (stores: BackedUpStores, directory: string, now: Date): Promise<Manifest> => {
  const target = resolve(directory);
  if (existsSync(target)) throw new BackupError(`${target} already exists: pass a directory that does not exist`);
  const partial = join(dirname(target), `${basename(target)}.partial-${process.pid}`);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await mkdir(partial, { mode: 0o700 });
  try {
    const manifest = await filled(stores, partial, now);
    await noteErasures(stores, dirname(target));
    await rename(partial, target);
    await syncDirectory(dirname(target));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
};

const filled = async (stores: BackedUpStores, directory: string, now: Date): Promise<Manifest> => {
  const { copies, dataDirectory, masterKeys } = stores;
  const key = masterKeys.current();
  const files = Object.values(BACKED_UP_FILES);
  const placed = files.map((file) => ({ from: join(dataDirectory, file), to: join(directory, file) }));
  await copies.copyTogether(placed);
  const describe = async (to: string) => {
    copies.mustBeWhole(to);
    await syncFile(to);
    return describeFile(to);
  };
  const [facts, vault] = await Promise.all([
    describe(join(directory, BACKED_UP_FILES.facts)),
    describe(join(directory, BACKED_UP_FILES.vault)),
  ]);
  const about = copies.describeVaultCopy(join(directory, BACKED_UP_FILES.vault));
  const content: Manifest = { format: BACKUP_FORMAT, createdAt: now.toISOString(), ...about, facts, vault };
  const manifest = { ...content, mac: macOf(key, content) };
  await writeNewFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await syncDirectory(directory);
  return manifest;
};

/** Adds the erasures of the service to the list beside the backups. */
const noteErasures = async ({ erasures }: BackedUpStores, directory: string): Promise<void> => {
  if (erasures !== undefined) await erasures.copyTo(join(directory, ERASED));
};
