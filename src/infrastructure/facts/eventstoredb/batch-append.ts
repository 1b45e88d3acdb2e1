// The appends of a process, all through one BatchAppend call: a message within a call takes a fraction of the CPU of a
// call. The client's own BatchAppend is not used, for three reasons. It hangs every later append once the call was
// ended in good order. It keeps pending appends in a table of the process, so that a late response ends the process. It
// first requests the server's features, without a deadline.
import { randomUUID } from 'node:crypto';
import { convertToCommandError, UnavailableError } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, { type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { withDeadline } from '../../async.js';
import type { Append } from '../facts.js';
import type { EventStoreClient } from './client.js';
import { AppendFailed, requestOf, type Written, writtenIn } from './messages.js';

interface Waiting {
  readonly resolve: (written: Written | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** A BatchAppend call on one connection. It accepts appends until it ends or is retired. */
export class AppendCall {
  readonly #call;
  readonly #onDoubt: (error: Error) => void;
  readonly #waiting = new Map<string, Waiting>();
  #isOpen = true;

  /** Calls `onDoubt` with an error that casts doubt on the connection. Throws if the connection is closed. */
  constructor(
    client: StreamsClient,
    [metadata, options]: ReturnType<EventStoreClient['callArguments']>,
    onDoubt: (error: Error) => void,
  ) {
    this.#onDoubt = onDoubt;
    this.#call = client.makeBidiStreamRequest<Buffer, BatchAppendResp>(
      '/event_store.client.streams.Streams/BatchAppend',
      (request) => request,
      (response) => streams.BatchAppendResp.deserializeBinary(response),
      metadata,
      options,
    );
    this.#call.on('data', (response: BatchAppendResp) => this.#onResponse(response));
    // A proxy may end the call in good order. The server never does.
    this.#call.on('end', () => this.#end(new Error('the server ended the call of the appends')));
    // The listener stays: an error after the end of the call would otherwise end the process.
    this.#call.on('error', (error) => this.#end(convertToCommandError(error)));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Appends. Returns undefined if the server responds that the stream is at another revision. Rejects with
   * `DeadlinePassed` after `ms` milliseconds without a response; a later response is ignored.
   */
  async append(append: Append, ms: number): Promise<Written | undefined> {
    const correlationId = randomUUID();
    const request = requestOf(correlationId, append);
    const outcome = new Promise<Written | undefined>((resolve, reject) => {
      this.#waiting.set(correlationId, { resolve, reject });
    });
    try {
      this.#call.write(request);
      return await withDeadline(outcome, ms);
    } finally {
      this.#waiting.delete(correlationId);
      this.#cancelIfIdle();
    }
  }

  /** Accepts no more appends, and ends the call when no append is waiting. */
  retire(): void {
    this.#isOpen = false;
    this.#cancelIfIdle();
  }

  close(): void {
    this.#isOpen = false;
    this.#call.cancel();
  }

  #cancelIfIdle(): void {
    if (!this.#isOpen && this.#waiting.size === 0) this.#call.cancel();
  }

  #onResponse(response: BatchAppendResp): void {
    const waiting = this.#waiting.get(response.getCorrelationId()?.getString() ?? '');
    try {
      waiting?.resolve(writtenIn(response));
    } catch (error) {
      waiting?.reject(error);
      if (error instanceof AppendFailed && error.type === 'unavailable') this.#onDoubt(new UnavailableError());
    }
  }

  #end(reason: Error): void {
    const isUnexpected = this.#isOpen;
    this.#isOpen = false;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#call.cancel();
    if (isUnexpected) this.#onDoubt(reason);
  }
}
