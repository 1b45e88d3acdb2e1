// Facts for the suite of the port: whatever payload they are given is one personal field, and so is sealed in the log.
import type {
  AppendOutcome,
  Expected,
  Facts,
  LogPage,
  LogRange,
  NewEvent,
  Position,
  RecordedEvent,
} from '../../../src/infrastructure/facts/facts.js';
import { SealedFacts } from '../../../src/infrastructure/facts/sealed.js';
import { Keyring } from '../../../src/infrastructure/sealing/keyring.js';
import { MasterKeyFile } from '../../../src/infrastructure/sealing/master-key-file.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';

const personal = new Map([['Happened', [['secret']]]]);

/** Facts over `stored`, sealed with the keys in the vault of a directory; `cannotRead` hears what does not open. */
export class BoxedFacts implements Facts {
  readonly maxAppendBytes: number;
  readonly #facts: SealedFacts;
  readonly #vault: SqliteVault;

  constructor(stored: Facts, directory: string, cannotRead: (what: string) => void) {
    this.maxAppendBytes = longestWithin(stored.maxAppendBytes);
    this.#vault = new SqliteVault(directory);
    const keyring = new Keyring(this.#vault, new MasterKeyFile(`${directory}/master.key`));
    const watch = { withoutKey: cannotRead, tampered: ({ id }: { id: string }) => cannotRead(id), damaged: cannotRead };
    this.#facts = new SealedFacts(stored, { keyring, personal, watch });
  }

  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const boxed = events.map((event) => ({ ...event, data: { secret: event.data } }));
    return this.#facts.append(stream, expected, boxed);
  }

  async *readStream(stream: string, fromRevision?: number): AsyncGenerator<RecordedEvent> {
    for await (const event of this.#facts.readStream(stream, fromRevision)) yield unboxed(event);
  }

  async *readStreamBackwards(stream: string): AsyncGenerator<RecordedEvent> {
    for await (const event of this.#facts.readStreamBackwards(stream)) yield unboxed(event);
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    const page = await this.#facts.readLog(range, limit);
    return { ...page, events: page.events.map(unboxed) };
  }

  head(): Promise<Position | undefined> {
    return this.#facts.head();
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    for await (const page of this.#facts.subscribe(range, signal)) {
      yield { ...page, events: page.events.map(unboxed) };
    }
  }

  async close(): Promise<void> {
    await this.#facts.close();
    await this.#vault.close();
  }
}

const unboxed = (event: RecordedEvent): RecordedEvent => ({
  ...event,
  data: (event.data as { readonly secret: unknown }).secret,
});

/** The most bytes that a payload may have to be stored, sealed, within `limit`. */
const longestWithin = (limit: number): number => {
  const around = JSON.stringify({ secret: null, sealed: '' }).length;
  const version = 1;
  const ivAndTag = 12 + 16;
  const inside = version + ivAndTag + '{"/secret":}'.length;
  // Six bits a character, without padding.
  return Math.floor(((limit - around) * 3) / 4) - inside;
};
