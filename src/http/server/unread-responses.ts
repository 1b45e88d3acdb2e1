// Bounds what responses hold that their clients do not read. A response is unread while bytes of it wait that the
// operating system has not taken, from its first byte on. Without bounds, one address could hold every place of the process, and
// 10,000 connections could each hold a response of a megabyte.
import type { Response } from 'express';
import { addressOf } from '../request/client.js';
import type { Load } from './overload.js';

/** The bounds on unread responses. */
export interface UnreadBounds {
  /** The maximum number of unread responses of one address. */
  readonly perAddress: number;
  /** The maximum memory of all unread responses in bytes. */
  readonly bytes: number;
}

interface Unread {
  readonly bytes: number;
  readonly address: string;
  readonly ofAddress: Set<Response>;
}

// Hundreds of people may share an address, but most responses are read at once.
const BOUNDS: UnreadBounds = { perAddress: 150, bytes: 67_108_864 };

/** Cuts the connections that have not read for the longest time, while unread responses exceed a bound. */
export class UnreadResponses {
  readonly #load: Load;
  readonly #bounds: UnreadBounds;
  // Maps and sets iterate in insertion order. A response is removed when its client reads, so the first has not been read
  // for the longest time.
  readonly #all = new Map<Response, Unread>();
  readonly #byAddress = new Map<string, Set<Response>>();
  readonly #watched = new WeakSet<Response>();
  #bytes = 0;

  constructor(load: Load, bounds: Partial<UnreadBounds> = {}) {
    this.#load = load;
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Counts a response until its client reads. Meanwhile the response waits for its client and is no load. `bytes`: the
   * memory that it takes.
   */
  hold(response: Response, bytes: number): void {
    if (response.destroyed || this.#all.has(response)) return;
    const address = addressOf(response.req);
    const ofAddress = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, ofAddress.add(response));
    this.#all.set(response, { bytes, address, ofAddress });
    this.#bytes += bytes;
    this.#load.pause();
    this.#watch(response);
    this.#cutAboveBounds(ofAddress);
  }

  #watch(response: Response): void {
    if (this.#watched.has(response)) return;
    this.#watched.add(response);
    for (const event of ['drain', 'close']) response.on(event, () => this.#release(response));
  }

  #cutAboveBounds(ofAddress: ReadonlySet<Response>): void {
    const [silent] = ofAddress;
    if (silent !== undefined && ofAddress.size > this.#bounds.perAddress) this.#cut(silent);
    for (const each of this.#all.keys()) {
      if (this.#bytes <= this.#bounds.bytes) return;
      this.#cut(each);
    }
  }

  #cut(response: Response): void {
    this.#release(response);
    response.destroy();
  }

  #release(response: Response): void {
    const unread = this.#all.get(response);
    if (unread === undefined) return;
    this.#all.delete(response);
    unread.ofAddress.delete(response);
    if (unread.ofAddress.size === 0) this.#byAddress.delete(unread.address);
    this.#bytes -= unread.bytes;
    this.#load.resume();
  }
}
