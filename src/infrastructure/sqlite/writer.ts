// Sends write operations to the writer thread of a SQLite file in groups. Operations that arrive while a group is being
// committed go into the next group (group commit), so that concurrent writers share one fsync.
import { type ChildProcess, execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../errors.js';
import { Rings } from '../rings.js';
import type { Synchronous } from './database.js';
import type { Failure, Results, WriterData } from './writer-thread.js';

const MAX_GROUP_SIZE = 512;
// The thread keeps little from one message to the next. With the default (48 MB), V8 lets its garbage grow to ten times
// of what it keeps before the next collection.
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

/** What runs between two groups, while no transaction is open: it empties the WAL, or also rewrites the file. */
type Task = 'flush' | 'forget';

interface Waiting {
  readonly task: Task | undefined;
  readonly operation: string;
  readonly argument: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class SqliteWriter {
  readonly #store: string;
  readonly #workerData: WriterData;
  #worker: Worker | undefined;
  #waiting: Waiting[] = [];
  #inFlight: readonly Waiting[] = [];
  #flushing = false;
  #forgetting: ChildProcess | undefined;
  #closed: Promise<boolean> | undefined;
  // A thread that rewrites the file says so to the writers of the other threads.
  readonly #rewrites: Rings<boolean>;
  #isRewritten = false;
  #onIdle: () => void = () => {};

  /** `store` is its name in errors. `operationsModule` exports `operationsOf`. The thread starts with a write. */
  constructor(store: string, file: string, operationsModule: URL, synchronous: Synchronous = 'FULL') {
    this.#store = store;
    this.#workerData = { file, operationsModule: operationsModule.href, synchronous };
    this.#rewrites = new Rings(rewritesOf(file), (isRewritten) => {
      this.#isRewritten = isRewritten;
    });
  }

  /** Runs an operation in the next group. Resolves after the commit, with the result of the operation. */
  run<T>(operation: string, argument: unknown): Promise<T> {
    return this.#enqueue({ task: undefined, operation, argument });
  }

  /** Runs a task after the current group. Calls that wait share one run. */
  alone(task: Task): Promise<void> {
    return this.#enqueue({ task, operation: task, argument: undefined });
  }

  /**
   * Commits the pending operations and ends the thread. Returns whether there was one. A rewrite of the file is interrupted,
   * which changes nothing.
   */
  close(): Promise<boolean> {
    this.#closed ??= this.#drain().finally(() => this.#rewrites.close());
    return this.#closed;
  }

  #enqueue<T>(asked: Omit<Waiting, 'resolve' | 'reject'>): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(new StoreUnavailable(this.#store, 'it is closed'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ...asked, resolve: resolve as (value: unknown) => void, reject });
      this.#flushSoon();
    });
  }

  async #drain(): Promise<boolean> {
    this.#forgetting?.kill('SIGKILL');
    if (this.#waiting.length > 0 || this.#inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    const worker = this.#worker;
    if (worker === undefined) return false;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close');
    await ended;
    return true;
  }

  #flushSoon(): void {
    if (this.#flushing || this.#inFlight.length > 0) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#inFlight.length > 0 || this.#waiting.length === 0) return;
    this.#inFlight = this.#nextGroup();
    const task = this.#inFlight[0]?.task;
    if (task === 'forget') {
      this.#forget();
      return;
    }
    this.#send();
  }

  #send(): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    const group: unknown[] = [];
    for (const { operation, argument } of this.#inFlight) group.push(operation, argument);
    this.#worker.postMessage(this.#inFlight[0]?.task ?? group);
  }

  #nextGroup(): readonly Waiting[] {
    const other = this.#waiting.findIndex(({ task }) => task !== this.#waiting[0]?.task);
    const length = Math.min(other < 0 ? this.#waiting.length : other, MAX_GROUP_SIZE);
    return this.#waiting.splice(0, length);
  }

  // A process cannot end while a thread of it is inside SQLite, which may rewrite a large file for minutes.
  #forget(): void {
    const script = fileURLToPath(new URL('./forget.js', import.meta.url));
    this.#rewrites.ring(true);
    const child = execFile(process.execPath, [script, this.#workerData.file], { env: {} }, (error) => {
      this.#forgetting = undefined;
      this.#rewrites.ring(false);
      this.#settle(error ? { failure: { message: error.message, code: 'SQLITE_INTERRUPT' } } : { values: [] });
    });
    this.#forgetting = child;
    if (this.#closed !== undefined) child.kill('SIGKILL');
  }

  #start(): Worker {
    const module = new URL('./writer-thread.js', import.meta.url);
    const worker = new Worker(module, { workerData: this.#workerData, resourceLimits });
    // A failed thread still emits `exit`, possibly after its replacement has started.
    const failed = (error: Error) => {
      if (this.#worker === worker) this.#fail(error);
    };
    worker.on('message', (results: Results) => {
      // A rewrite may keep the lock for longer than a connection waits.
      const waits = this.#isRewritten && 'failure' in results && results.failure.code === 'SQLITE_BUSY';
      if (waits) this.#send();
      else this.#settle(results);
    });
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`its writer thread exited with code ${code}`)));
    return worker;
  }

  #settle(results: Results): void {
    const group = this.#inFlight;
    this.#inFlight = [];
    this.#flush();
    if (this.#inFlight.length === 0) this.#notifyIdle();
    group.forEach(({ resolve, reject }, place) => {
      const failure = 'failure' in results ? results.failure : results.failures?.get(place);
      if (failure !== undefined) reject(this.#errorOf(failure));
      else resolve('values' in results ? results.values[place] : undefined);
    });
  }

  // The outcome of the operations in progress is unknown. The next write starts a new thread.
  #fail(error: Error): void {
    this.#worker = undefined;
    // The rewrite of the file, which is in progress, does not need the thread.
    if (this.#forgetting !== undefined) return;
    const group = this.#inFlight;
    this.#inFlight = [];
    for (const { reject } of group) reject(new StoreUnavailable(this.#store, error));
    if (this.#waiting.length > 0) this.#flushSoon();
    else this.#notifyIdle();
  }

  // An idle thread does not keep the process alive.
  #notifyIdle(): void {
    this.#worker?.unref();
    this.#onIdle();
  }

  #errorOf({ message, code }: Failure): Error {
    return code?.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT')
      ? new StoreUnavailable(this.#store, Object.assign(new Error(message), { code }))
      : new Error(`${this.#store}: ${message}`);
  }
}

/** Returns the name of the rings with which a writer tells the other writers of a file that it rewrites the file. */
export const rewritesOf = (file: string): string => `${file} is rewritten`;
