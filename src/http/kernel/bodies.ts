// Reads the bytes of request bodies. A body is held in one buffer that grows as it arrives, and all buffers together
// are bounded: a client that sends a body slowly, or never ends it, holds memory for as long as a request may take.
import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import { addressOf } from '../edge/client.js';
import type { ProblemCode } from './problem-kinds.js';
import { Problem } from './problems.js';

/** How many bodies are being read, and the bytes that are held for them. */
interface Load {
  readonly bodies: number;
  readonly bytes: number;
}

/** What may be read at the same time. */
export interface BodyBounds {
  readonly process: Load;
  readonly address: Load;
}

const MIB = 1_048_576;
// Hundreds of people may share an address. Their bodies arrive in one piece each, so few arrive at the same time.
const BOUNDS: BodyBounds = {
  process: { bodies: 4_000, bytes: 64 * MIB },
  address: { bodies: 1_000, bytes: 16 * MIB },
};
const RETRY_AFTER_S = 5;
const SMALLEST_BUFFER = 1_024;
// A body up to this size is read and checked in a millisecond or two.
const LARGE_BODY = 65_536;
// What zlib and brotli hold beside their output, roughly.
const UNPACKER_BYTES = 262_144;

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads bodies. */
export class BodyReader {
  readonly #bounds: BodyBounds;
  #inProcess: Load = { bodies: 0, bytes: 0 };
  readonly #byAddress = new Map<string, Load>();
  #turns: Promise<void> = Promise.resolve();

  constructor(bounds: BodyBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /**
   * Reads a body of at most `limit` bytes, unpacked. Rejects with a `Problem` if the body is longer, cannot be unpacked
   * or ends early, and if too many bodies are arriving.
   */
  async read(request: Request, limit: number): Promise<Buffer> {
    const isPacked = codingOf(request) !== 'identity';
    if (!isPacked && Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    // Node.js reads what arrived in one piece before it runs promises. A small body is mostly there with its headers, and
    // needs neither a buffer nor room among those that are still arriving.
    await undefined;
    // The request emits nothing more: it would be waited for without end.
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
    try {
      held.add({ bodies: 1, bytes: unpacker === undefined ? 0 : UNPACKER_BYTES });
      return await collect(request, unpacker, new GrowingBuffer(limit, held));
    } finally {
      held.release();
      unpacker?.destroy();
      // The rest of a refused body still arrives; it is dropped.
      request.unpipe().resume();
    }
  }

  // Parsing a large body holds the event loop. Other requests get a turn between two large bodies.
  #turn(): Promise<void> {
    this.#turns = this.#turns.then(() => nextTurn());
    return this.#turns;
  }

  /** Begins to count what one body holds. */
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
  /** Rejects with a `Problem` if the bounds do not leave room for it. */
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

/** Returns a body that has arrived whole; undefined if there is more to come. */
const arrivedOf = (request: Request): Buffer | undefined => {
  if (request.readableLength !== Number(request.headers['content-length'])) return undefined;
  const bytes = (request.read() as Buffer | null) ?? undefined;
  // Lets the request end, as the client may send another one on its connection.
  request.resume();
  return bytes;
};

const codingOf = ({ headers }: Request): string => (headers['content-encoding'] ?? 'identity').toLowerCase();

/** Makes what unpacks a body; undefined for a body that is sent as it is. */
const unpackerOf = (request: Request): Transform | undefined => {
  const coding = codingOf(request);
  if (coding === 'identity') return undefined;
  const unpacker = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined;
  if (unpacker !== undefined) return unpacker();
  throw new Problem('unsupported-media-type', { headers: { 'Accept-Encoding': Object.keys(unpackers).join(', ') } });
};

const tooLarge = (limit: number) => new Problem('too-large', { extensions: { limit } });

/** Holds the bytes of a body. Parts are copied: kept as they came, every byte could be a Buffer of 100 bytes. */
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

  #grow(least: number): void {
    const size = Math.min(this.#limit, Math.max(least, 2 * this.#bytes.length, SMALLEST_BUFFER));
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
    // What cannot be unpacked, and a connection that ends in the middle of a body.
    for (const stream of [request, source]) stream.on('error', () => reject(new Problem('malformed-request')));
  });
