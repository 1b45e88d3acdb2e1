// Facts for the suite of the port. They seal each payload as one personal field.
import type {
  AppendOutcome,
  Expected,
  Facts,
  LogPage,
  LogRange,
  NewEvent,
  Position,
  RecordedEvent,
  StreamRange,
} from '../../../../src/infrastructure/facts/facts.js';
import { Keyring } from '../../../../src/infrastructure/keys/keyring.js';
import { MasterKeyFile } from '../../../../src/infrastructure/keys/master-key-file.js';
import { SealedFacts } from '../../../../src/infrastructure/persons/sealed-facts.js';
import { SqliteVault } from '../../../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../../../src/infrastructure/vault/store-format.js';

const personal = new Map([['Happened', [['secret']]]]);

/**
 * Seals the facts of `stored` with the keys in the vault of a directory. Calls `cannotRead` with what does not open.
 */
export class BoxedFacts implements Facts {
  readonly #facts: SealedFacts;
  readonly #vault: SqliteVault;

  constructor(stored: Facts, directory: string, cannotRead: (what: string) => void) {
    this.#vault = new SqliteVault(directory);
    const keyring = new Keyring(this.#vault, new MasterKeyFile(`${directory}/master.key`));
    const watch = { withoutKey: cannotRead, tampered: ({ id }: { id: string }) => cannotRead(id), damaged: cannotRead };
    const format = new StoreFormat(this.#vault);
    this.#facts = new SealedFacts(stored, { keyring, personal, upcasters: new Map(), format, watch });
  }

  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const boxed = events.map((event) => ({ ...event, data: { secret: event.data } }));
    return this.#facts.append(stream, expected, boxed);
  }

  async *readStream(stream: string, range?: StreamRange): AsyncGenerator<RecordedEvent> {
    for await (const event of this.#facts.readStream(stream, range)) yield unboxed(event);
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

const unboxed = ({ digests: _, ...event }: RecordedEvent): RecordedEvent => ({
  ...event,
  data: (event.data as { readonly secret: unknown }).secret,
});

/** Returns the largest size of a payload whose sealed form fits into `limit` bytes. */
export const longestWithin = (limit: number): number => {
  const digest = 'x'.repeat(43);
  const around = JSON.stringify({ secret: null, digests: { '/secret': digest }, sealed: '' }).length;
  const version = 1;
  const ivAndTag = 12 + 16;
  const salt = 'x'.repeat(22);
  const inside = version + ivAndTag + `{"/secret":["${salt}",]}`.length;
  // Base64url has six bits a character and no padding.
  return Math.floor(((limit - around) * 3) / 4) - inside;
};
