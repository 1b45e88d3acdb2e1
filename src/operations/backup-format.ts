// The format of a backup: a directory with a copy of the facts, a copy of the vault, and a manifest with which both
// copies can be checked. The manifest is written last, so a directory without a manifest is not a backup.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * The stores in a backup, and their files in every directory. Read models can be rebuilt, and no job holds data that is
 * stored nowhere else.
 */
export const BACKED_UP_FILES = { facts: 'facts.sqlite', vault: 'vault.sqlite' } as const;
export type BackedUp = keyof typeof BACKED_UP_FILES;

export const MANIFEST = 'manifest.json';
/** The list of erased users beside the backups. */
export const ERASED = 'erased.txt';
export const BACKUP_FORMAT = 'clinical-protocols-backup/1';

// Loose, because the MAC of a manifest also covers members that an earlier version wrote.
const FileEntry = z.looseObject({
  bytes: z.int(),
  /** The SHA-256 of the whole file, in hex. */
  sha256: z.string(),
});
type FileEntry = z.infer<typeof FileEntry>;

const Manifest = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** An ISO 8601 timestamp shortly before the copies were made. */
  createdAt: z.iso.datetime(),
  /** The format version of facts and vault. */
  storeFormat: z.int(),
  /** The ids of the master keys that wrap the keys in the vault. The ids reveal nothing about the keys. */
  masterKeys: z.array(z.string()).readonly(),
  facts: FileEntry,
  vault: FileEntry,
  /** The MAC of all other members. Absent in backups of earlier versions. */
  mac: z.string().optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** Signals that a backup, or the target of a backup or restore, is unusable. */
export class BackupError extends Error {}

/** Describes a file of a backup. */
export const describeFile = async (path: string): Promise<FileEntry> => ({
  bytes: (await stat(path)).size,
  sha256: await sha256Of(path),
});

/** Returns the SHA-256 of a file in hex. */
export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

/** Reads the manifest of a backup. Rejects with `BackupError` if the directory is not a finished backup. */
export const manifestOf = async (directory: string): Promise<Manifest> => {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')));
  } catch (cause) {
    throw new BackupError(`${directory} is not a backup: it has no ${MANIFEST} that this program can read`, { cause });
  }
};
