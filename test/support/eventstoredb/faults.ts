// Misbehaviour on command: what the next calls of a method do instead of, or after, their work.
import type { status } from '@grpc/grpc-js';

/** The kinds of calls. A subscription is a `read` on the wire. */
export type Method = 'append' | 'batch-append' | 'read' | 'subscribe' | 'delete' | 'tombstone' | 'features' | 'gossip';

/** What a call does instead of answering. */
export type Fault =
  /** It is accepted and never answered. */
  | { readonly kind: 'silence' }
  /** It is ended in good order, with nothing said. */
  | { readonly kind: 'half-close' }
  /** The connections of all clients are reset. */
  | { readonly kind: 'cut' }
  /** The server says that it is still starting. */
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

  /** The next `times` calls of a method misbehave. An append may do so after its commit: the acknowledgement is lost. */
  inject(method: Method, fault: Fault, { times = 1, afterCommit = false } = {}): void {
    this.#rules.push({ method, fault, afterCommit, times });
  }

  /** How many calls are still to misbehave. */
  get pending(): number {
    return this.#rules.reduce((sum, { times }) => sum + times, 0);
  }

  /** Ends all misbehaviour. */
  clear(): void {
    this.#rules = [];
  }

  /** The fault that a call has at its start, or after its commit. */
  take(method: Method, afterCommit = false): Fault | undefined {
    const rule = this.#rules.find((each) => each.method === method && each.afterCommit === afterCommit);
    if (rule === undefined) return undefined;
    rule.times -= 1;
    if (rule.times <= 0) this.#rules = this.#rules.filter((each) => each !== rule);
    return rule.fault;
  }
}
