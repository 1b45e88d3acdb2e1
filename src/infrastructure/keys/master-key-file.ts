// The master keys of an embedded vault: a file with one key per line, the current key first. The file is created when
// it is first needed. It is always replaced as a whole, so that all processes on a directory agree on it.
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { handOver, syncDirectory } from '../durable-files.js';
import { codeOf, StoreUnavailable } from '../errors.js';
import { type MasterKey, type MasterKeys, masterKeyText, newMasterKey, parseMasterKey } from './master-key.js';

/** The master keys in a file. Keys stay known once they were read, so that a retired key can still open records. */
export class MasterKeyFile implements MasterKeys {
  readonly origin: string;
  readonly #known = new Map<string, MasterKey>();
  readonly #creates: boolean;

  /** Without `creates`, a missing file is not created, and there is no current key. */
  constructor(file: string, { creates = true }: { readonly creates?: boolean } = {}) {
    this.origin = file;
    this.#creates = creates;
  }

  /** Reads the file, because another process may have added a key. Throws `StoreUnavailable` if it is unusable. */
  current(): MasterKey {
    const [first] = this.#read() ?? this.#make();
    if (first === undefined) throw this.#unusable('it has no key');
    return first;
  }

  find(id: string): MasterKey | undefined {
    if (!this.#known.has(id)) this.#read();
    return this.#known.get(id);
  }

  /** Adds a new current key. Does nothing if there are several keys: then an unfinished rotation continues. */
  renew(): void {
    const keys = this.#read() ?? this.#make();
    if (keys.length === 1) this.#write([newMasterKey(), ...keys], renameSync);
  }

  retire(): void {
    this.#write([this.current()], renameSync);
  }

  // Only one of several processes creates the file, because linking fails if the name is taken.
  #make(): readonly MasterKey[] {
    // A process that has read the file still needs its keys.
    if (this.#known.size > 0) throw this.#unusable('it is missing');
    if (!this.#creates) throw this.#unusable('it is missing, and this command does not create it');
    this.#write([newMasterKey()], (made, file) => {
      try {
        linkSync(made, file);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    });
    return this.#read() ?? [];
  }

  #read(): readonly MasterKey[] | undefined {
    const text = this.#textIfAny();
    if (text === undefined) return undefined;
    const keys = text.split('\n').flatMap((line, index) => {
      if (line.trim() === '') return [];
      const key = parseMasterKey(line.trim());
      if (key === undefined) throw this.#unusable(`line ${index + 1} is not a key`);
      return [key];
    });
    for (const key of keys) this.#known.set(key.id, key);
    return keys;
  }

  #textIfAny(): string | undefined {
    try {
      return readFileSync(this.origin, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw this.#unusable(error);
    }
  }

  #write(keys: readonly MasterKey[], put: (made: string, file: string) => void): void {
    const made = `${this.origin}.${randomBytes(6).toString('hex')}`;
    const text = keys.map((key) => `${masterKeyText(key)}\n`).join('');
    try {
      writeFileSync(made, text, { flag: 'wx', mode: 0o600, flush: true });
      handOver(made, statSync(this.origin, { throwIfNoEntry: false }));
      put(made, this.origin);
      syncDirectory(dirname(this.origin));
    } catch (error) {
      throw this.#unusable(error);
    } finally {
      rmSync(made, { force: true });
    }
  }

  #unusable(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(`the file of the master keys, ${this.origin},`, cause);
  }
}
