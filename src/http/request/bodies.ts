// Reads the bytes of request bodies. The total size of all buffers is bounded, because a client that sends a body
// slowly, or never ends it, holds memory until the request times out.
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import type { ProblemCode } from '../problems/problem-kinds.js';
import { Problem } from '../problems/problems.js';
import { addressOf } from './client.js';

/** The number of bodies being read, and the bytes that are held for them. */
interface BodyLoad {
  bodies: number;
  bytes: number;
}

/** The count of running requests, which leaves out a request while its body arrives. */
type Running = Readonly<Record<'pause' | 'resume', () => void>>;

/** Counts memory before it is allocated. */
type Hold = (bytes: number) => void;

/** The bounds on bodies that are read at the same time. */
export interface BodyBounds {
  readonly process: Readonly<BodyLoad>;
  readonly address: Readonly<BodyLoad>;
}

const MIB = 1_048_576;
// Hundreds of people may share an address. Most bodies arrive in one piece, so few are being read at the same time.
const BOUNDS: BodyBounds = {
  process: { bodies: 4_000, bytes: 64 * MIB },
  address: { bodies: 150, bytes: 16 * MIB },
};
const RETRY_AFTER_S = 5;
const SMALLEST_BUFFER = 1_024;
// The approximate memory of zlib and brotli, without their output.
const UNPACKER_BYTES = 262_144;

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads request bodies within bounds on their number and size. A request whose body is arriving is no load. */
export class BodyReader {
  readonly #running: Running;
  readonly #bounds: BodyBounds;
  readonly #inProcess: BodyLoad = { bodies: 0, bytes: 0 };
  readonly #byAddress = new Map<string, BodyLoad>();

  constructor(running: Running, bounds: BodyBounds = BOUNDS) {
    this.#running = running;
    this.#bounds = bounds;
  }

  /**
   * Returns whether a request has a body of at least one byte, whatever its headers say. Waits for the first byte if no
   * header gives the length. Rejects with a `Problem` if the request ends early, or if too many bodies are arriving.
   */
  async hasBytes(request: Request): Promise<boolean> {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined) return Number(headers['content-length'] ?? 0) > 0;
    await this.#arriving(request, 0, () => firstOf(request));
    return request.readableLength > 0;
  }

  /**
   * Returns the bytes of a body, decompressed. Rejects with a `Problem` if the body has more than `limit` bytes, arrives
   * in too many chunks, cannot be decompressed or ends early, or if too many bodies are arriving.
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
    return bytes;
  }

  async #collect(request: Request, limit: number): Promise<Buffer> {
    const unpacker = unpackerOf(request);
    const taken = unpacker === undefined ? 0 : UNPACKER_BYTES;
    try {
      return await this.#arriving(request, taken, (hold) => collect(request, unpacker, { limit, hold }));
    } finally {
      unpacker?.destroy();
      // The rest of a rejected body still arrives. Drop it.
      request.unpipe().resume();
    }
  }

  /** Counts what a body takes while `work` waits for it, and asks a client for the body that waits to be asked. */
  async #arriving<T>(request: Request, bytes: number, work: (hold: Hold) => Promise<T>): Promise<T> {
    const { add, release } = this.#hold(addressOf(request));
    this.#running.pause();
    try {
      add({ bodies: 1, bytes });
      askFor(request);
      return await work((more) => add({ bodies: 0, bytes: more }));
    } finally {
      this.#running.resume();
      release();
    }
  }

  /**
   * Starts to count what one body takes. `add` counts more, and throws a `Problem` if that exceeds a bound. `release`
   * ends the count.
   */
  #hold(address: string) {
    const mine: BodyLoad = { bodies: 0, bytes: 0 };
    const ofAddress = this.#byAddress.get(address) ?? { bodies: 0, bytes: 0 };
    this.#byAddress.set(address, ofAddress);
    const count = ({ bodies, bytes }: BodyLoad): void => {
      for (const load of [mine, ofAddress, this.#inProcess]) {
        load.bodies += bodies;
        load.bytes += bytes;
      }
    };
    const add = (load: BodyLoad): void => {
      count(load);
      refuseAbove(this.#bounds.address, ofAddress, 'too-many-bodies-of-address');
      refuseAbove(this.#bounds.process, this.#inProcess, 'too-many-bodies');
    };
    const release = (): void => {
      count({ bodies: -mine.bodies, bytes: -mine.bytes });
      if (ofAddress.bodies === 0) this.#byAddress.delete(address);
    };
    return { add, release };
  }
}

const refuseAbove = (bound: BodyLoad, load: BodyLoad, code: ProblemCode): void => {
  if (load.bodies <= bound.bodies && load.bytes <= bound.bytes) return;
  throw new Problem(code, { headers: { 'Retry-After': `${RETRY_AFTER_S}` } });
};

/** Returns whether the body of a request has arrived. Node.js sees the end of a request one turn after its last byte. */
export const hasArrived = ({ complete, readableLength, headers }: Request): boolean =>
  complete || readableLength === Number(headers['content-length']);

/** Returns the body if all of it has arrived; otherwise undefined. */
const arrivedOf = (request: Request): Buffer | undefined => {
  if (request.readableLength !== Number(request.headers['content-length'])) return undefined;
  const bytes = (request.read() as Buffer | null) ?? undefined;
  // Lets the request end, because the client may send another request on the connection.
  request.resume();
  return bytes;
};

// RFC 9110, 10.1.1. The server leaves it to the reader of the body (`checkContinue`).
const askFor = (request: Request): void => {
  if (!isAwaited(request.headers.expect)) return;
  request.headers.expect = '';
  request.res?.writeContinue();
};

/** Returns whether a client waits for 100 Continue before it sends its body. */
const isAwaited = (expect = ''): boolean => /(^|\W)100-continue(\W|$)/i.test(expect);

/** Resolves when a request has its first byte, or its end. */
const firstOf = (request: Request): Promise<void> =>
  new Promise((resolve, reject) => {
    const { destroyed, complete, readableLength } = request;
    const done = () => {
      request.off('readable', done).off('end', done);
      resolve();
    };
    if (destroyed) reject(new Problem('malformed-request'));
    else if (complete || readableLength > 0) resolve();
    else
      request
        .on('readable', done)
        .on('end', done)
        .on('error', () => reject(new Problem('malformed-request')));
  });

// x-gzip is another name of gzip (RFC 9110, 8.4.1.3).
const codingOf = ({ headers }: Request): string =>
  (headers['content-encoding'] || 'identity').toLowerCase().replace(/^x-gzip$/, 'gzip');

/** Returns the decompressor of a body; undefined if the body is plain. Throws a `Problem` if the coding is unknown. */
const unpackerOf = (request: Request): Transform | undefined => {
  const coding = codingOf(request);
  if (coding === 'identity') return undefined;
  const unpacker = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined;
  if (unpacker !== undefined) return unpacker();
  throw new Problem('unsupported-media-type', { headers: { 'Accept-Encoding': Object.keys(unpackers).join(', ') } });
};

const tooLarge = (limit: number) => new Problem('too-large', { extensions: { limit } });

/**
 * Returns the bytes of a body in one buffer that grows as the body arrives. body-parser would keep each part, and a
 * part of one byte takes about 200 bytes.
 */
const collect = (
  request: Request,
  unpacker: Transform | undefined,
  { limit, hold }: { readonly limit: number; readonly hold: Hold },
): Promise<Buffer> => {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const append = (part: Buffer): void => {
    const end = length + part.length;
    if (end > limit) throw tooLarge(limit);
    if (end > buffer.length) {
      const size = Math.min(limit, Math.max(end, 2 * buffer.length, SMALLEST_BUFFER));
      hold(size - buffer.length);
      buffer = Buffer.concat([buffer], size);
    }
    part.copy(buffer, length);
    length = end;
  };
  return new Promise((resolve, reject) => {
    const source = unpacker === undefined ? request : request.pipe(unpacker);
    const refuse = (problem: unknown) => {
      source.off('data', take);
      reject(problem);
    };
    const take = (part: Buffer) => {
      try {
        append(part);
      } catch (problem) {
        refuse(problem);
      }
    };
    refuseScattered(request, refuse);
    source.on('data', take).once('end', () => resolve(buffer.subarray(0, length)));
    // The decompression failed, or the connection closed in the middle of the body.
    for (const stream of [request, source]) stream.on('error', () => reject(new Problem('malformed-request')));
  });
};

// How many chunks a body of no bytes may have, and how many bytes justify one more.
const [FREE_CHUNKS, BYTES_OF_CHUNK] = [64, 16];

/**
 * Refuses a body that arrives in too many chunks for its bytes, because each chunk costs a microsecond. The first chunk of
 * a turn of the event loop does not count, so the chunks of a slow network do not.
 */
const refuseScattered = (request: Request, refuse: (problem: Problem) => void): void => {
  let [chunks, bytes, isFirst] = [0, 0, true];
  const nextTurn = () => {
    isFirst = true;
  };
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (isFirst) setImmediate(nextTurn);
    else chunks += 1;
    isFirst = false;
    if (chunks <= bytes / BYTES_OF_CHUNK + FREE_CHUNKS) return;
    request.off('data', count);
    refuse(new Problem('body-too-scattered', { headers: { Connection: 'close' } }));
  };
  request.on('data', count);
};
