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

/** The payloads of one append exceed what the engine takes. Nothing was tried. */
export class AppendTooLarge extends Error {
  readonly bytes: number;
  readonly limit: number;

  constructor(bytes: number, limit: number) {
    super(`an append of ${bytes} bytes is over the limit of ${limit}`);
    this.name = 'AppendTooLarge';
    this.bytes = bytes;
    this.limit = limit;
  }
}

/** The personal data of a person cannot be stored: their key was erased with them, or lost. Nothing was stored. */
export class PersonalKeyMissing extends Error {
  readonly person: string;

  constructor(person: string) {
    super(`the key of the person ${person} was erased or lost, so that nothing personal of them can be stored`);
    this.name = 'PersonalKeyMissing';
    this.person = person;
  }
}
