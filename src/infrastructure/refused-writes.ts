// Knows which stores refused the last write of this process, for /readyz. A read says nothing about a full disk, a
// replica that takes no writes, or a lost permission.
import { StoreUnavailable } from './errors.js';
import type { Facts } from './facts/facts.js';
import type { Fault } from './fault.js';
import type { Vault } from './vault/vault.js';
import type { Views } from './views/views.js';
import type { Work } from './work/work.js';

interface Ports {
  readonly log: Facts;
  readonly views: Views;
  readonly vault: Vault;
  readonly queue: Work;
}

/** Maps write calls to whether a result says that something was written. A conflict says nothing about the store. */
type Writes<Port> = {
  readonly [Call in keyof Port]?: Port[Call] extends (...given: never) => Promise<infer Result>
    ? (result: Result) => boolean
    : never;
};

const always = () => true;

const WRITES: { readonly [Name in keyof Ports]: Writes<Ports[Name]> } = {
  log: { append: ({ outcome }) => outcome === 'written' },
  views: { commit: Boolean, renew: Boolean },
  vault: {
    insert: (version) => version !== undefined,
    replace: Boolean,
    remove: Boolean,
    removeSubject: Boolean,
    purgeExpired: Boolean,
  },
  queue: { enqueue: always, retry: Boolean },
};

const NAMES: { readonly [Name in keyof Ports]: string } = {
  log: 'event log',
  views: 'store of the read models',
  vault: 'vault',
  queue: 'store of the job queues',
};

export class RefusedWrites {
  readonly #refused = new Set<keyof Ports>();
  readonly #refusedElsewhere = new Set<keyof Ports>();
  readonly #onWrite: RefusedWrites['wroteElsewhere'] | undefined;

  /** `onWrite` is called when a store refuses a write, and when it stops refusing them. */
  constructor(onWrite?: RefusedWrites['wroteElsewhere']) {
    this.#onWrite = onWrite;
  }

  /** Watches the writes of a store. Returns the store. */
  watch<Name extends keyof Ports, Store extends Ports[Name]>(name: Name, store: Store): Store {
    for (const [call, isWritten] of Object.entries(WRITES[name]) as [keyof Store, (result: unknown) => boolean][]) {
      const write = store[call] as (...given: unknown[]) => Promise<unknown>;
      const watched = (...given: unknown[]) => this.#noted(name, write.apply(store, given), isWritten);
      Object.defineProperty(store, call, { value: watched });
    }
    return store;
  }

  /** Notes whether a store refused the last write of another thread, which has its own connections. */
  readonly wroteElsewhere = (name: keyof Ports, isRefused: boolean): void => {
    if (isRefused) this.#refusedElsewhere.add(name);
    else this.#refusedElsewhere.delete(name);
  };

  #wrote(name: keyof Ports, isRefused: boolean): void {
    const here = this.#refused.delete(name);
    const wasRefused = this.#refusedElsewhere.delete(name) || here;
    if (isRefused) this.#refused.add(name);
    // The other thread may have forgotten an earlier refusal, because a write of its own has succeeded.
    if (isRefused || wasRefused) this.#onWrite?.(name, isRefused);
  }

  async #noted<T>(name: keyof Ports, writing: Promise<T>, isWritten: (result: T) => boolean): Promise<T> {
    try {
      const result = await writing;
      if (isWritten(result)) this.#wrote(name, false);
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#wrote(name, true);
      throw error;
    }
  }

  /** Returns a fault for each of these stores that refused the last write. */
  faults(...names: readonly (keyof Ports)[]): readonly Fault[] {
    const refused = names.filter((name) => this.#refused.has(name) || this.#refusedElsewhere.has(name));
    return refused.map((name) => ({
      code: `${name}-unwritable`,
      detail: `The ${NAMES[name]} refused the last write. Check whether its disk is full, then its permissions and the log. The next write that succeeds ends this fault.`,
    }));
  }
}
