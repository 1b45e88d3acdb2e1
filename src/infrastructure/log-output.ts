// Standard output as the destination of the log. It neither stops nor delays the process: what cannot be written is
// dropped and counted, and the memory for waiting lines is bounded.
import { fstatSync, write, writeSync } from 'node:fs';
import { codeOf } from './errors.js';

const STDOUT = 1;
// A write costs more than the line that it writes, so lines wait for others, up to a size and a time.
const BATCH = 4_096;
const BATCH_MS = 100;
/** The length of the lines that may wait while the output takes none. */
const MAX_WAITING = 256 * 1024;
const LINE_END = 0x0a;

/** Writes all bytes. Calls `done` with the bytes that could not be written. */
type Send = (bytes: Buffer, done: (lost: Buffer) => void) => void;

const NONE = Buffer.alloc(0);

// `fs.write` to a pipe that nobody reads would hold a thread, and the process could not end. The stream of Node.js makes
// pipes and sockets non-blocking.
const toPipe: Send = (bytes, done) => void process.stdout.write(bytes, (error) => done(error ? bytes : NONE));

const toFile: Send = (bytes, done) =>
  write(STDOUT, bytes, (error, written) => {
    if (codeOf(error) === 'EAGAIN') setTimeout(toFile, BATCH_MS, bytes, done);
    else if (error !== null) done(bytes);
    else if (written < bytes.length) toFile(bytes.subarray(written), done);
    else done(NONE);
  });

const isPipe = (): boolean => {
  const kind = fstatSync(STDOUT);
  return kind.isFIFO() || kind.isSocket();
};

export class LogOutput {
  readonly #dropped: (lines: number) => void;
  readonly #send: Send;
  #waiting: string[] = [];
  #length = 0;
  #isSending = false;
  /** Whether the waiting lines follow the batch that is being written without waiting for others. */
  #isDue = false;
  /** Whether the last line was written in part. */
  #isTorn = false;
  #onEmpty: (() => void)[] = [];

  /** `dropped` is called with the number of lines that are lost. */
  constructor(dropped: (lines: number) => void) {
    this.#dropped = dropped;
    this.#send = isPipe() ? toPipe : toFile;
    // The callback of each write has the same error.
    if (this.#send === toPipe) process.stdout.on('error', () => undefined);
    setInterval(() => this.flush(), BATCH_MS).unref();
    process.once('exit', () => this.#writeLast());
  }

  write(line: string): void {
    if (this.#length >= MAX_WAITING) {
      this.#dropped(1);
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    if (this.#length >= BATCH && !this.#isSending) this.#next();
  }

  /** Writes the waiting lines now. Calls `done` once none waits, whether they were written or dropped. */
  flush(done?: () => void): void {
    if (done !== undefined) this.#onEmpty.push(done);
    if (this.#isSending) this.#isDue = true;
    else this.#next();
  }

  #next(): void {
    this.#isDue = false;
    if (this.#waiting.length === 0) {
      for (const done of this.#onEmpty.splice(0)) done();
      return;
    }
    const bytes = this.#take();
    this.#isSending = true;
    this.#send(bytes, (lost) => {
      this.#isSending = false;
      this.#lose(bytes, lost);
      if (this.#isDue || this.#length >= BATCH || this.#onEmpty.length > 0) this.#next();
    });
  }

  #take(): Buffer {
    const bytes = Buffer.from((this.#isTorn ? '\n' : '') + this.#waiting.join(''));
    this.#waiting = [];
    this.#length = 0;
    return bytes;
  }

  #lose(bytes: Buffer, lost: Buffer): void {
    if (lost.length > 0) this.#dropped(lost.reduce((lines, byte) => lines + Number(byte === LINE_END), 0));
    if (lost.length < bytes.length) this.#isTorn = lost.length > 0 && bytes.at(-lost.length - 1) !== LINE_END;
  }

  // The lines before an error that ends the process matter most. A full pipe takes none of them, and holds nobody up.
  #writeLast(): void {
    if (this.#waiting.length === 0 || (this.#isSending && this.#send === toPipe)) return;
    try {
      writeSync(STDOUT, this.#take());
    } catch {
      // The process ends, so nobody could read a counter.
    }
  }
}
