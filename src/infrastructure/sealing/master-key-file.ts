// The master keys of an embedded vault: a file, one key a line, the current one first. It is made with the first need
// and changes only as a whole, so that processes on one directory agree on it.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailable } from '../errors.js';
import { type MasterKey, type MasterKeys, masterKeyText, newMasterKey, parseMasterKey } from './master-key.js';

/** The master keys in a file. What was once read stays known, so that a key that was retired since still opens. */
export class MasterKeyFile implements MasterKeys {
  readonly origin: string;
  readonly #known = new Map<string, MasterKey>();
  readonly #creates: boolean;

  /** Without `creates`, a file that is missing stays missing: then there is no current key. */
  constructor(file: string, { creates = true }: { readonly creates?: boolean } = {}) {
    this.origin = file;
    this.#creates = creates;
  }

  /** Looks at the file, as another process may have put a new key first. Throws `StoreUnavailable` where it cannot. */
  current(): MasterKey {
    const [first] = this.#read() ?? this.#make();
    if (first === undefined) throw this.#unusable('it holds no key');
    return first;
  }

  find(id: string): MasterKey | undefined {
    if (!this.#known.has(id)) this.#read();
    return this.#known.get(id);
  }

  /** Puts a new key first; not where there are several: then the rotation before was cut off, and goes on. */
  renew(): void {
    const keys = this.#read() ?? this.#make();
    if (keys.length === 1) this.#write([newMasterKey(), ...keys], renameSync);
  }

  retire(): void {
    this.#write([this.current()], renameSync);
  }

  // Of several processes one makes the file: to link fails where the name is taken.
  #make(): readonly MasterKey[] {
    if (!this.#creates) throw this.#unusable('it is missing, and this command does not make it');
    this.#write([newMasterKey()], (made, file) => {
      try {
        linkSync(made, file);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      } finally {
        unlinkSync(made);
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
      if (key === undefined) throw this.#unusable(`line ${index + 1} is no key`);
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
      put(made, this.origin);
      syncDirectory(dirname(this.origin));
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(`the file of the master keys, ${this.origin},`, cause);
  }
}

const syncDirectory = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;
