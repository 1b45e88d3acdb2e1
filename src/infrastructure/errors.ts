// What can go wrong with any store, whichever engine it runs on.

/** The engine cannot answer now: a dropped connection, a full disk, a lock held too long. Nothing is known to be stored. */
export class StoreUnavailable extends Error {
  constructor(store: string, cause: unknown) {
    super(`${store} cannot be reached or written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'StoreUnavailable';
  }
}

/** A newer program has used the store. This program does not know the format and must not use the store. */
export class StoreTooNew extends Error {
  constructor(store: string, format: number, known: number) {
    super(
      `${store} has format ${format}, which a newer version of this program wrote; this version knows format ${known}: ` +
        'run the newer version, or restore a backup from before the upgrade',
    );
    this.name = 'StoreTooNew';
  }
}

/** The payloads of one append exceed what the engine takes. Nothing was tried. */
export class AppendTooLarge extends Error {
  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(`an append of ${bytes} bytes is over the limit of ${limit}`);
    this.name = 'AppendTooLarge';
  }
}

/** The personal data of a person cannot be stored: their key was erased with them, or lost. Nothing was stored. */
export class PersonalKeyMissing extends Error {
  constructor(readonly person: string) {
    super(`the key of the person ${person} was erased or lost, so that nothing personal of them can be stored`);
    this.name = 'PersonalKeyMissing';
  }
}

/** The place of an event: what an operator needs to find it. */
export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

const nameOf = ({ stream, revision, id }: EventPlace): string => `event ${id} (${stream}, revision ${revision})`;

/** An event has personal fields that cannot be believed although the key of the person exists. Nothing was recorded. */
export class PersonalFieldsUnreadable extends Error {
  constructor(event: EventPlace) {
    super(
      `the personal fields of ${nameOf(event)} do not open: the event was altered, or they were never sealed. Nothing ` +
        'is recorded on this stream: restore the facts from a backup, or erase the person; `npm run cli -- verify` ' +
        'lists all such events',
    );
    this.name = 'PersonalFieldsUnreadable';
  }
}

/** An event was written in a version that this program does not know, so nobody may interpret it. */
export class EventTooNew extends Error {
  constructor(event: EventPlace, what: string) {
    super(`${nameOf(event)} has ${what}: run the version of the program that wrote it`);
    this.name = 'EventTooNew';
  }
}

/** The stored form of an event is damaged, so that nobody can read the event. */
export class EventDamaged extends Error {
  /** `what` is wrong with the event. */
  constructor(place: EventPlace & { readonly position: string }, what: string) {
    super(`${nameOf(place)} at position ${place.position} cannot be read: ${what}. See \`npm run cli -- audit prove\``);
    this.name = 'EventDamaged';
  }
}

/** Returns whether an error says that what is stored is damaged, and not that the store is away. */
export const isDamage = (error: unknown): error is EventDamaged | StoreUnavailable =>
  error instanceof EventDamaged ||
  (error instanceof StoreUnavailable && /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error.cause)));

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown } | undefined)?.code);

/** Events of a stream were hidden or removed. What is left of the stream must not be taken for all of it. */
export class StreamTruncated extends Error {
  /** `found` says what is missing, `metadata` is what the engine was told to hide or remove, if anything. */
  constructor(
    readonly stream: string,
    found: string,
    metadata?: string,
  ) {
    const cause = metadata === undefined ? '' : ` Its metadata tell the engine to hide or remove events: ${metadata}.`;
    super(`the stream ${stream} lacks events: ${found}.${cause} See "A truncated stream" in docs/runbook.md`);
    this.name = 'StreamTruncated';
  }
}
