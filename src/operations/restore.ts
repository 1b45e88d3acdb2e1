// Restores a backup of the embedded stores into an empty data directory, and erases the users in it again whose erasure
// is later than the backup.
import { constants, createWriteStream, existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removePromises } from '../auth/decisions/promises.js';
import { Claims } from '../commands/claims.js';
import type { CommandContext } from '../commands/context.js';
import { commandHandler } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { uniquenessGuard } from '../commands/uniqueness.js';
import type { User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { ensureDirectory, handOver, syncDirectory, writeNewFile } from '../infrastructure/durable-files.js';
import { namingSpace } from '../infrastructure/errors.js';
import { isMacOf, masterKeyIn } from '../infrastructure/keys/master-key.js';
import type { AllStores } from '../infrastructure/stores.js';
import { TOOL } from '../infrastructure/tool.js';
import { mustBeKnown } from '../infrastructure/vault/store-format.js';
import { holdLog } from '../transparency/log-commands.js';
import {
  BACKED_UP_FILES,
  type BackedUp,
  BackupError,
  type EmbeddedStores,
  ERASED,
  MANIFEST,
  type Manifest,
  manifestOf,
  sha256Of,
  UNFINISHED,
} from './backup.js';
import { forgetLeftovers } from './erase-secrets.js';
import { ErasureList, type Erasures } from './erasure-list.js';

/** Restored stores that no service has open. */
type RestoredStores = Pick<AllStores, 'facts' | 'vault' | 'views' | 'keyring' | 'serviceKey' | 'eraseSecrets'>;

export interface RestoreTarget extends EmbeddedStores {
  /** Rejects with an error that names the owner if a service uses the data directory. */
  readonly mustBeUnowned: () => Promise<void>;
  readonly storeFiles: readonly string[];
  /** Whether the operator vouches for erasures that have no MAC. */
  readonly accepts: boolean;
  readonly onStores: <T>(task: (stores: RestoredStores) => Promise<T>) => Promise<T>;
  readonly context: () => CommandContext;
}

/**
 * Restores a backup into a data directory without stores. Erases the users who were erased after the backup. Rejects
 * with `BackupError`, and leaves no store behind, if the backup is damaged or was altered, its master key is unknown,
 * or the directory has stores. Rejects with `UnknownFormat` if this program does not know the format of the backup. A
 * restore that is interrupted leaves a directory that no program opens. Running the restore again starts over. Returns
 * also how many users were erased again, and whether the signing of the audit log is held until a new log begins.
 */
export const restoreBackup = async (target: RestoreTarget, directory: string) => {
  const backup = resolve(directory);
  const manifest = await manifestOf(backup);
  mustBeKnown(backup, manifest.storeFormat);
  mustHaveKeys(target, manifest);
  mustBeOurs(target, backup, manifest);
  ensureDirectory(target.dataDirectory);
  await begin(target);
  try {
    for (const store of ['facts', 'vault'] as const) await place(target, backup, manifest, store);
    const erasures = await erasuresFor(target, backup);
    const settled = await target.onStores(async (stores) => {
      await stores.keyring.check();
      // A service may have sent these messages since the backup.
      await removePromises(stores.vault);
      const isHeld = (await holdLog(stores, `restored from the backup in ${backup}`)) !== undefined;
      return { erasedAgain: await eraseAgain(stores, erasures, target.context), isHeld };
    });
    await target.erasures?.add(erasures.proven);
    await rm(join(target.dataDirectory, UNFINISHED));
    syncDirectory(target.dataDirectory);
    return { manifest, ...settled };
  } catch (error) {
    await clear(target);
    await rm(join(target.dataDirectory, UNFINISHED), { force: true });
    throw namingSpace(error, target.dataDirectory);
  }
};

const mustHaveKeys = ({ masterKeys }: RestoreTarget, manifest: Manifest): void => {
  const needed = new Set([...manifest.masterKeys, masterKeyIn(manifest.mac)]);
  const missing = [...needed].filter((id) => masterKeys.find(id) === undefined);
  if (missing.length === 0) return;
  throw new BackupError(
    `the keys in this backup are wrapped with the master key ${missing.join(', ')}, which is not in ${masterKeys.origin}: add the key and restore again`,
  );
};

const mustBeOurs = ({ masterKeys }: RestoreTarget, backup: string, { mac, ...content }: Manifest): void => {
  if (isMacOf(masterKeys, mac, content)) return;
  throw new BackupError(`${join(backup, MANIFEST)} was altered after the backup: use another backup`);
};

/**
 * Marks the directory as unfinished. Removes the rest of an unfinished restore, but rejects if there are other stores.
 */
const begin = async (target: RestoreTarget): Promise<void> => {
  const { dataDirectory, storeFiles } = target;
  const unfinished = join(dataDirectory, UNFINISHED);
  if (existsSync(unfinished)) return clear(target);
  const present = storeFiles.map((file) => join(dataDirectory, file)).filter((file) => existsSync(file));
  if (present.length > 0) {
    await target.mustBeUnowned();
    throw new BackupError(
      `${present.join(', ')} would be overwritten: move these files away, with their -wal and -shm`,
    );
  }
  await writeNewFile(unfinished, `${TOOL} restore has not ended. Run it again.\n`);
  syncDirectory(dataDirectory);
};

const place = async (target: RestoreTarget, backup: string, manifest: Manifest, store: BackedUp): Promise<void> => {
  const { dataDirectory, copies } = target;
  const { sha256 } = manifest[store];
  const [from, to] = [join(backup, BACKED_UP_FILES[store]), join(dataDirectory, BACKED_UP_FILES[store])];
  await copyRegularFile(from, to);
  if ((await sha256Of(to)) !== sha256) throw new BackupError(`${from} does not match the manifest of the backup`);
  copies.mustBeWhole(to);
  syncDirectory(dataDirectory);
};

// A link could lead to a file that only this user can read. Opening a FIFO without O_NONBLOCK would wait for a writer.
const PRIVATE = { flags: 'wx', mode: 0o600, flush: true };
const REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const copyRegularFile = async (from: string, to: string): Promise<void> => {
  const source = await open(from, REGULAR);
  try {
    if (!(await source.stat()).isFile()) throw new BackupError(`${from} is not a regular file`);
    await pipeline(source.createReadStream({ autoClose: false }), createWriteStream(to, PRIVATE));
    handOver(to);
  } finally {
    await source.close();
  }
};

/** Returns all users in the list of the service and in the list beside the backup. */
const erasuresFor = async (target: RestoreTarget, backup: string): Promise<Erasures> => {
  const { accepts, masterKeys, erasures: own } = target;
  const beside = new ErasureList(join(dirname(backup), ERASED), masterKeys);
  const lists = await Promise.all([own, beside].map((list) => list?.read() ?? { proven: [], unproven: [] }));
  const proven = new Set(lists.flatMap((list) => list.proven));
  const unproven = lists.flatMap((list) => list.unproven).filter((id) => !proven.has(id));
  return accepts ? { proven: [...proven, ...unproven], unproven: [] } : { proven: [...proven], unproven };
};

const clear = async ({ dataDirectory, storeFiles }: RestoreTarget): Promise<void> => {
  for (const file of storeFiles) {
    for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDirectory, `${file}${suffix}`), { force: true });
  }
};

const REASON = 'erased after the backup that was restored';

/**
 * Erases the users who are not erased in the stores. Returns how many. Erases even the last administrator, because the
 * erasure was decided before. Rejects with `BackupError` before it erases anybody if one of them is unproven.
 */
const eraseAgain = async (
  stores: RestoredStores,
  { proven, unproven }: Erasures,
  context: () => CommandContext,
): Promise<number> => {
  const { facts, vault, serviceKey, eraseSecrets } = stores;
  const streams = new Streams(facts);
  const handle = commandHandler(streams, uniquenessGuard(streams, new Claims(vault, () => serviceKey('claims'))));
  const statusOf = async (userId: string) => (await streams.load(user, userId)).state.status;
  for (const userId of unproven) mustBeErased(userId, await statusOf(userId));
  let erased = 0;
  for (const userId of proven) {
    const status = await statusOf(userId);
    if (status === 'unknown') continue;
    await eraseSecrets(userId);
    if (status === 'erased') continue;
    await handle(user, userId, { type: 'EraseUser', data: { reason: REASON } }, context());
    await eraseSecrets(userId);
    erased += 1;
  }
  await forgetLeftovers(stores);
  return erased;
};

const mustBeErased = (userId: string, status: User['status']): void => {
  if (status === 'unknown' || status === 'erased') return;
  throw new BackupError(
    `a list of erased users names ${userId} without a MAC of a known master key, and the backup has this user. ` +
      'Find out whether the service erased the user. Then add --accept, or remove the line',
  );
};
