// Reads the bytes of request bodies. Each body is held in one buffer that grows as the body arrives. The total size of
// all buffers is bounded, because a client that sends a body slowly, or never ends it, holds memory until the request
// times out.
import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import type { ProblemCode } from '../problems/problem-kinds.js';
import { Problem } from '../problems/problems.js';
import { addressOf } from './client.js';

/** The number of bodies being read, and the bytes that are held for them. */
interface Load {
  readonly bodies: number;
  readonly bytes: number;
}

/** The count of running requests, which leaves out a request while its body arrives. */
export interface RunningRequests {
  readonly pause: () => void;
  readonly resume: () => void;
}

/** The bounds on bodies that are read at the same time. */
export interface BodyBounds {
  readonly process: Load;
  readonly address: Load;
}

const MIB = 1_048_576;
// Hundreds of people may share an address. Most bodies arrive in one piece, so few are being read at the same time.
const BOUNDS: BodyBounds = {
  process: { bodies: 4_000, bytes: 64 * MIB },
  address: { bodies: 150, bytes: 16 * MIB },
};
const RETRY_AFTER_S = 5;
const SMALLEST_BUFFER = 1_024;
// A body up to this size is read and checked in a millisecond or two.
const LARGE_BODY = 65_536;
// The approximate memory of zlib and brotli, without their output.
const UNPACKER_BYTES = 262_144;

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads request bodies within bounds on their number and size. A request whose body is arriving is no load. */
export class BodyReader {
  readonly #load: RunningRequests;
  readonly #bounds: BodyBounds;
  #inProcess: Load = { bodies: 0, bytes: 0 };
  readonly #byAddress = new Map<string, Load>();
  #turns: Promise<void> = Promise.resolve();

  constructor(load: RunningRequests, bounds: BodyBounds = BOUNDS) {
    this.#load = load;
    this.#bounds = bounds;
  }

  /**
   * Returns the bytes of a body, decompressed. Rejects with a `Problem` if the body has more than `limit` bytes, cannot
   * be decompressed or ends early, or if too many bodies are arriving.
   */
  async read(request: Request, limit: number): Promise<Buffer> {
    const isPacked = codingOf(request) !== 'identity';
    if (!isPacked && Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    // Node.js reads everything that arrived in one piece before it runs promises. A small body usually arrives with its
    // headers. Such a body needs no buffer and does not count toward the bounds.
    await undefined;
    // A destroyed request emits no more events, so waiting for its body would never end.
    if (request.destroyed) throw new Problem('malformed-request');
    const arrived = isPacked ? undefined : arrivedOf(request);
    const bytes = arrived ?? (await this.#collect(request, limit));
    if (bytes.length > limit) throw tooLarge(limit);
    if (bytes.length > LARGE_BODY) await this.#turn();
    return bytes;
  }

  async #collect(request: Request, limit: number): Promise<Buffer> {
    const unpacker = unpackerOf(request);
    const held = this.#hold(addressOf(request));
    this.#load.pause();
    try {
      held.add({ bodies: 1, bytes: unpacker === undefined ? 0 : UNPACKER_BYTES });
      return await collect(request, unpacker, new GrowingBuffer(limit, held));
    } finally {
      this.#load.resume();
      held.release();
      unpacker?.destroy();
      // The rest of a rejected body still arrives. Drop it.
      request.unpipe().resume();
    }
  }

  // Parsing a large body blocks the event loop. Other requests get a turn between two large bodies.
  #turn(): Promise<void> {
    this.#turns = this.#turns.then(() => nextTurn());
    return this.#turns;
  }

  /** Starts to count the memory of one body. */
  #hold(address: string): Held {
    let mine: Load = { bodies: 0, bytes: 0 };
    const change = (load: Load) => {
      this.#inProcess = sum(this.#inProcess, load);
      const ofAddress = sum(this.#byAddress.get(address), load);
      if (ofAddress.bodies === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, ofAddress);
    };
    return {
      add: (load) => {
        refuseAbove(this.#bounds.address, sum(this.#byAddress.get(address), load), 'too-many-bodies-of-address');
        refuseAbove(this.#bounds.process, sum(this.#inProcess, load), 'too-many-bodies');
        mine = sum(mine, load);
        change(load);
      },
      release: () => change({ bodies: -mine.bodies, bytes: -mine.bytes }),
    };
  }
}

interface Held {
  /** Adds to the load of the body. Throws a `Problem` if the load would exceed a bound. */
  readonly add: (load: Load) => void;
  readonly release: () => void;
}

const sum = (load: Load | undefined, more: Load): Load => ({
  bodies: (load?.bodies ?? 0) + more.bodies,
  bytes: (load?.bytes ?? 0) + more.bytes,
});

const refuseAbove = (bound: Load, load: Load, code: ProblemCode): void => {
  if (load.bodies <= bound.bodies && load.bytes <= bound.bytes) return;
  throw new Problem(code, { headers: { 'Retry-After': `${RETRY_AFTER_S}` } });
};

/** Returns the body if all of it has arrived; otherwise undefined. */
const arrivedOf = (request: Request): Buffer | undefined => {
  if (request.readableLength !== Number(request.headers['content-length'])) return undefined;
  const bytes = (request.read() as Buffer | null) ?? undefined;
  // Lets the request end, because the client may send another request on the connection.
  request.resume();
  return bytes;
};

const codingOf = ({ headers }: Request): string => (headers['content-encoding'] ?? 'identity').toLowerCase();

/**
 * Returns the decompressor of a body; undefined if the body is not compressed. Throws a `Problem` if the coding is
 * unknown.
 */
const unpackerOf = (request: Request): Transform | undefined => {
  const coding = codingOf(request);
  if (coding === 'identity') return undefined;
  const unpacker = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined;
  if (unpacker !== undefined) return unpacker();
  throw new Problem('unsupported-media-type', { headers: { 'Accept-Encoding': Object.keys(unpackers).join(', ') } });
};

const tooLarge = (limit: number) => new Problem('too-large', { extensions: { limit } });

/** Holds the bytes of a body. Copies each part, because a separate Buffer for each byte would cost about 100 bytes. */
class GrowingBuffer {
  readonly #limit: number;
  readonly #held: Held;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number, held: Held) {
    this.#limit = limit;
    this.#held = held;
  }

  append(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#limit) throw tooLarge(this.#limit);
    if (length > this.#bytes.length) this.#grow(length);
    part.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(minLength: number): void {
    const size = Math.min(this.#limit, Math.max(minLength, 2 * this.#bytes.length, SMALLEST_BUFFER));
    this.#held.add({ bodies: 0, bytes: size - this.#bytes.length });
    const larger = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

const collect = (request: Request, unpacker: Transform | undefined, buffer: GrowingBuffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const source = unpacker === undefined ? request : request.pipe(unpacker);
    const append = (part: Buffer) => {
      try {
        buffer.append(part);
      } catch (problem) {
        source.off('data', append);
        reject(problem);
      }
    };
    source.on('data', append).once('end', () => resolve(buffer.content));
    // The decompression failed, or the connection closed in the middle of the body.
    for (const stream of [request, source]) stream.on('error', () => reject(new Problem('malformed-request')));
  });
