// What a backup is: a directory with a copy of the facts, a copy of the vault, and a manifest that tells whether both are
// whole. The manifest is written last, so a directory without one is no backup.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The stores of a backup. The read models are folded anew, and no job is the only place of anything. */
export const BACKED_UP = ['facts', 'vault'] as const;
export type BackedUp = (typeof BACKED_UP)[number];

export const MANIFEST = 'manifest.json';
/** The list of erased users beside the backups. */
export const ERASED = 'erased.txt';
export const BACKUP_FORMAT = 'clinical-protocols-backup/1';

const FileEntry = z.object({
  file: z.string(),
  bytes: z.int(),
  /** Of the whole file, in hex. */
  sha256: z.string(),
  rows: z.record(z.string(), z.int()).readonly(),
});
export type FileEntry = z.infer<typeof FileEntry>;

const Manifest = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** ISO 8601 instant before the moment that the copies are of. */
  createdAt: z.iso.datetime(),
  /** The format of facts and vault. */
  storeFormat: z.int(),
  /** The ids of the master keys that the keys in the vault are wrapped with. They reveal nothing of the keys. */
  masterKeys: z.array(z.string()).readonly(),
  facts: FileEntry,
  vault: FileEntry,
});
export type Manifest = z.infer<typeof Manifest>;

/** What is wrong with a backup, or with where it is to go. */
export class BackupError extends Error {}

/** Describes a file of a backup. */
export const describeFile = async (path: string, file: string, rows: FileEntry['rows']): Promise<FileEntry> => ({
  file,
  bytes: (await stat(path)).size,
  sha256: await sha256Of(path),
  rows,
});

/** Returns the SHA-256 of a file in hex. */
export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

/** Reads the manifest of a backup. Rejects with `BackupError` if the directory is no backup that was finished. */
export const manifestOf = async (directory: string): Promise<Manifest> => {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')));
  } catch (cause) {
    throw new BackupError(`${directory} is no backup: it has no ${MANIFEST} that this program can read`, { cause });
  }
};
