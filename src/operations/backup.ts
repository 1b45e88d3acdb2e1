// Makes a backup of the embedded stores beside a running service. A backup is a directory with a copy of the facts, a
// copy of the vault, and a manifest with which both copies can be checked. The manifest is written last, so a directory
// without a manifest is not a backup.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { ensureDirectory, handOver, syncDirectory, writeNewFile } from '../infrastructure/durable-files.js';
import { codeOf, fileFault, namingSpace } from '../infrastructure/errors.js';
import { type MasterKeys, macOf } from '../infrastructure/keys/master-key.js';
import type { ErasureList } from './erasure-list.js';

/**
 * The stores in a backup, and their files in every directory. Read models can be rebuilt, and no job holds data that is
 * stored nowhere else.
 */
export const BACKED_UP_FILES = { facts: 'facts.sqlite', vault: 'vault.sqlite' } as const;
export type BackedUp = keyof typeof BACKED_UP_FILES;

export const MANIFEST = 'manifest.json';
/** The list of erased users beside the backups. */
export const ERASED = 'erased.txt';
/** The name of a file that marks an unfinished restore. No program opens a data directory with this file. */
export const UNFINISHED = 'restore-unfinished';
const FORMAT = 'clinical-protocols-backup/1';

const FileEntry = z.object({
  bytes: z.int(),
  /** The SHA-256 of the whole file, in hex. */
  sha256: z.string(),
});

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** An ISO 8601 timestamp shortly before the copies were made. */
  createdAt: z.iso.datetime(),
  storeFormat: z.int(),
  /** The ids of the master keys that wrap the keys in the vault. The ids reveal nothing about the keys. */
  masterKeys: z.array(z.string()).readonly(),
  facts: FileEntry,
  vault: FileEntry,
  /** The MAC of all other members. */
  mac: z.string(),
});
export type Manifest = z.infer<typeof Manifest>;

export class BackupError extends Error {}

/** Reads the manifest of a backup. Rejects with `BackupError` if the directory is not a finished backup. */
export const manifestOf = async (directory: string): Promise<Manifest> => {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')));
  } catch (cause) {
    const code = codeOf(cause);
    if (code !== undefined && code !== 'ENOENT')
      throw new BackupError(fileFault(cause, join(directory, MANIFEST)), { cause });
    throw new BackupError(`${directory} is not a backup: it has no ${MANIFEST} that this program can read`, { cause });
  }
};

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

export interface Copies {
  readonly copyTogether: (copies: readonly { readonly from: string; readonly to: string }[]) => Promise<void>;
  readonly mustBeWhole: (file: string) => void;
  readonly describeVaultCopy: (file: string) => Pick<Manifest, 'storeFormat' | 'masterKeys'>;
}

export interface EmbeddedStores {
  readonly copies: Copies;
  readonly dataDirectory: string;
  /** The current master key makes the MAC of a manifest. */
  readonly masterKeys: MasterKeys;
  readonly erasures: ErasureList | undefined;
}

/**
 * Makes a backup in a new directory, and adds the erasures to the list beside it. The backup contains every write that
 * was acknowledged before, and both stores have the state of the same moment. Rejects with `BackupError` if the
 * directory exists. An interrupted backup leaves no directory with this name.
 */
export const makeBackup = async (stores: EmbeddedStores, directory: string, now: Date): Promise<Manifest> => {
  const target = resolve(directory);
  if (existsSync(target)) throw new BackupError(`${target} already exists: pass a directory that does not exist`);
  const parent = dirname(target);
  const partial = join(parent, `${basename(target)}.partial-${process.pid}`);
  ensureDirectory(parent);
  await mkdir(partial, { mode: 0o700 });
  try {
    const manifest = await filled(stores, partial, now);
    // Last of all: the new owner could replace a file by a link before it is written.
    for (const made of ['.', ...readdirSync(partial)]) handOver(join(partial, made));
    await stores.erasures?.copyTo(join(parent, ERASED));
    await rename(partial, target);
    syncDirectory(parent);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw namingSpace(error, parent);
  }
};

const filled = async (stores: EmbeddedStores, directory: string, now: Date): Promise<Manifest> => {
  const { copies, dataDirectory, masterKeys } = stores;
  const key = masterKeys.current();
  const files = Object.values(BACKED_UP_FILES);
  await copies.copyTogether(files.map((file) => ({ from: join(dataDirectory, file), to: join(directory, file) })));
  const described = async (store: BackedUp) => {
    const file = join(directory, BACKED_UP_FILES[store]);
    copies.mustBeWhole(file);
    return { bytes: (await stat(file)).size, sha256: await sha256Of(file) };
  };
  const [facts, vault] = await Promise.all([described('facts'), described('vault')]);
  const about = copies.describeVaultCopy(join(directory, BACKED_UP_FILES.vault));
  const content: Omit<Manifest, 'mac'> = { format: FORMAT, createdAt: now.toISOString(), ...about, facts, vault };
  const manifest = { ...content, mac: macOf(key, content) };
  await writeNewFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  syncDirectory(directory);
  return manifest;
};
