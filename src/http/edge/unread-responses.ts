// Bounds what responses hold that their clients do not read. A response is unread from its first byte on, unless the
// operating system takes all of it at once. Without bounds, one address could hold every place of the process, and
// 10,000 connections could each hold a response of a megabyte.
import type { Response } from 'express';
import { addressOf } from './client.js';
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
  // Maps and sets iterate in insertion order. A response is inserted again when its client reads, so the first has not
  // been read for the longest time.
  readonly #all = new Map<Response, Unread>();
  readonly #byAddress = new Map<string, Set<Response>>();
  #bytes = 0;

  constructor(load: Load, bounds: Partial<UnreadBounds> = {}) {
    this.#load = load;
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Counts a response until all of it is sent. Meanwhile the response waits for its client and is no load. `bytes`: the
   * memory that it takes.
   */
  hold(response: Response, bytes: number): void {
    if (response.destroyed) return;
    const address = addressOf(response.req);
    const ofAddress = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, ofAddress.add(response));
    this.#all.set(response, { bytes, address, ofAddress });
    this.#bytes += bytes;
    this.#load.pause();
    response.on('drain', () => this.#noteReading(response));
    response.once('close', () => this.#release(response));
    this.#cutAboveBounds(ofAddress);
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

  #noteReading(response: Response): void {
    const unread = this.#all.get(response);
    if (unread === undefined) return;
    this.#all.delete(response);
    this.#all.set(response, unread);
    unread.ofAddress.delete(response);
    unread.ofAddress.add(response);
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
