// Injects faults: what the next calls of a method do instead of their work or after it.
import type { status } from '@grpc/grpc-js';

/** The kinds of calls. A subscription is a `read` on the wire. */
export type Method = 'batch-append' | 'read' | 'subscribe' | 'gossip';

/** What a call does instead of responding. */
export type Fault =
  /** The server accepts the call and never responds. */
  | { readonly kind: 'silence' }
  /** The server ends the call successfully without a message. */
  | { readonly kind: 'half-close' }
  /** The server resets the connections of all clients. */
  | { readonly kind: 'cut' }
  /** The server responds that it is still starting. */
  | { readonly kind: 'not-ready' }
  | {
      readonly kind: 'status';
      readonly code: status;
      readonly details: string;
      readonly trailers?: Readonly<Record<string, string>>;
    };

interface Rule {
  readonly method: Method;
  readonly fault: Fault;
  readonly afterCommit: boolean;
  times: number;
}

export class Faults {
  #rules: Rule[] = [];

  /** Injects a fault into the next `times` calls. With `afterCommit`, the fault hits after the commit of an append. */
  inject(method: Method, fault: Fault, { times = 1, afterCommit = false } = {}): void {
    this.#rules.push({ method, fault, afterCommit, times });
  }

  /** The number of calls that will still get a fault. */
  get pending(): number {
    return this.#rules.reduce((sum, { times }) => sum + times, 0);
  }

  /** Removes all faults. */
  clear(): void {
    this.#rules = [];
  }

  /** Returns the fault of a call at its start, or after its commit. */
  take(method: Method, afterCommit = false): Fault | undefined {
    const rule = this.#rules.find((each) => each.method === method && each.afterCommit === afterCommit);
    if (rule === undefined) return undefined;
    rule.times -= 1;
    if (rule.times <= 0) this.#rules = this.#rules.filter((each) => each !== rule);
    return rule.fault;
  }
}
