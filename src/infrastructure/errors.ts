// The errors of stores, independent of the engine.
import { TOOL } from './tool.js';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the code of an error of Node.js or of SQLite; undefined if it has none. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Returns what is wrong with a file that could not be opened or read. */
export const fileFault = (error: unknown, file: string): string =>
  `the file ${file} ${codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${codeOf(error)})`}`;

/** Returns `error`, or one that names the directory that was written to if its disk may be full; SQLite may not know. */
export const namingSpace = (error: unknown, directory: string): unknown => {
  const code = codeOf(error instanceof StoreUnavailable ? error.cause : error);
  if (!/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR)$/.test(String(code))) return error;
  return new Error(`no space left in ${directory}, or its disk fails: ${messageOf(error)}`, { cause: error });
};

/** The names of the stores in errors and in the log. */
export const STORES = {
  log: 'the event log',
  views: 'the read models',
  vault: 'the vault',
  queues: 'the job queues',
  queuesInRedis: 'the job queues in Redis',
  limitsInRedis: 'the rate limits in Redis',
  mongoDb: 'MongoDB',
} as const;

/** Signals that the engine is unavailable: no connection, a full disk, a lock. A write may or may not be stored. */
export class StoreUnavailable extends Error {
  constructor(
    readonly store: string,
    cause: unknown,
  ) {
    super(`${store} cannot be used: ${messageOf(cause)}`, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** Signals that the engine refuses a call until somebody gives the service a right, which the message names. */
export class RightMissing extends StoreUnavailable {
  constructor(store: string, right: string, cause: unknown) {
    super(store, cause);
    // The message of the engine may quote the call, with the data of persons.
    this.message = `${store} cannot be used: ${right}`;
  }
}

/** Signals that the live read model lacks what was asked for, until the version that has it is built. */
export class ReadModelOutdated extends StoreUnavailable {
  constructor(projection: string, missing: string) {
    super(STORES.views, `${projection} has no ${missing} until it is rebuilt`);
    this.name = 'ReadModelOutdated';
  }
}

/** Signals that event log and vault do not belong together. This program must not use them. */
export class StoresApart extends StoreUnavailable {
  constructor(reason: string) {
    super(STORES.log, reason);
    this.message = `${reason}: restore both from one backup; see "Stores that do not belong together" in docs/runbook.md`;
    this.name = 'StoresApart';
  }
}

/** Signals that the store has a format that this program does not know. This program must not use the store. */
export class UnknownFormat extends Error {
  constructor(store: string, format: number, known: number) {
    const isNewer = format > known;
    super(
      `${store} has format ${format}, which ${isNewer ? 'a newer' : 'an earlier'} version of this program wrote; ` +
        `this version supports only format ${known}: ` +
        (isNewer
          ? 'use the newer version, or restore a backup from before the upgrade'
          : 'use the version that wrote it, or start with empty stores: another DATA_DIR, or other databases'),
    );
    this.name = 'UnknownFormat';
  }
}

/**
 * The maximum total size of the payloads of one append, in bytes as they are stored: sealing adds a third to the
 * personal fields, and about 90 bytes to each. Every engine has the same, so that each can store the events of others.
 */
export const MAX_APPEND_BYTES = 1_048_576;

/** Signals that the payloads of an append exceed the limit. Nothing was stored. */
export class AppendTooLarge extends Error {
  readonly limit = MAX_APPEND_BYTES;

  constructor(readonly bytes: number) {
    super(`an append of ${bytes} bytes exceeds the limit of ${MAX_APPEND_BYTES} bytes`);
    this.name = 'AppendTooLarge';
  }
}

/** Signals that personal data cannot be stored, because the person's key was erased or lost. Nothing was stored. */
export class PersonalKeyMissing extends Error {
  constructor(readonly person: string) {
    super(`the key of person ${person} was erased or lost, so their personal data cannot be stored`);
    this.name = 'PersonalKeyMissing';
  }
}

export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

const nameOf = ({ stream, revision, id }: EventPlace): string => `event ${id} (${stream}, revision ${revision})`;

/** Signals that personal fields cannot be trusted although the person's key exists. Nothing was recorded. */
export class PersonalFieldsUnreadable extends Error {
  constructor(event: EventPlace) {
    super(
      `the personal fields of ${nameOf(event)} cannot be opened: the event was altered, or they were never sealed. Nothing ` +
        'is recorded on this stream: restore the event store from a backup, or erase the person; ' +
        `\`${TOOL} verify\` lists all such events`,
    );
    this.name = 'PersonalFieldsUnreadable';
  }
}

/** Signals that an event has a version that this program does not know, and therefore must not interpret. */
export class EventTooNew extends Error {
  constructor(event: EventPlace, what: string) {
    super(`${nameOf(event)} has ${what}: use the version of the program that wrote it`);
    this.name = 'EventTooNew';
  }
}

export class EventDamaged extends Error {
  constructor(place: EventPlace & { readonly position: string }, what: string) {
    super(`${nameOf(place)} at position ${place.position} cannot be read: ${what}. Run \`${TOOL} audit prove\``);
    this.name = 'EventDamaged';
  }
}

/** Returns whether an error means damaged data, and not an unavailable store. */
export const isDamage = (error: unknown): error is EventDamaged | StoreUnavailable =>
  error instanceof EventDamaged ||
  (error instanceof StoreUnavailable && /^SQLITE_(CORRUPT|NOTADB)/.test(String(codeOf(error.cause))));

/** Signals that events of a stream were hidden or removed. The rest must not be mistaken for the whole stream. */
export class StreamTruncated extends Error {
  constructor(
    readonly stream: string,
    found: string,
  ) {
    super(`events of the stream ${stream} are missing: ${found}. See "A truncated stream" in docs/runbook.md`);
    this.name = 'StreamTruncated';
  }
}

/** Ignores a store that is unavailable, for work that something else makes up for. Throws every other error. */
export const ignoreUnavailable = (error: unknown): undefined => {
  if (!(error instanceof StoreUnavailable)) throw error;
  return undefined;
};
