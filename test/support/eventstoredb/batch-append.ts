// The BatchAppend method. Each client has one call. Correlation ids identify the appends; each gets one response, in
// any order.
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import {
  type AppendContext,
  badRequestResponse,
  notReadyResponse,
  responseOf,
  timeoutResponse,
} from './batch-messages.js';
import { type Backend, type Ending, misbehaves } from './calls.js';
import { thrownByHandler } from './errors.js';
import { expectedIn, isComplete, nameIn, proposedIn } from './frames.js';
import type { ProposedEvent } from './records.js';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

interface Receiving {
  readonly about: AppendContext;
  readonly events: ProposedEvent[];
  readonly timer: NodeJS.Timeout;
}

// The time in which a batch must arrive. An earlier deadline shortens the time.
const RECEIVE_MS = 2_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const batchAppendHandler =
  (backend: Backend): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> =>
  (call) => {
    const stream = new BatchStream(backend, call);
    call.on('data', (request: BatchAppendReq) => stream.take(request));
    call.on('end', () => stream.close(true));
    call.on('cancelled', () => stream.close(false));
  };

class BatchStream {
  readonly #backend: Backend;
  readonly #call: Call;
  readonly #ending: Ending;
  readonly #receiving = new Map<string, Receiving>();
  #closed = false;

  constructor(backend: Backend, call: Call) {
    this.#backend = backend;
    this.#call = call;
    this.#ending = {
      fail: (error) => void call.emit('error', error),
      end: () => void call.end(),
    };
  }

  take(request: BatchAppendReq): void {
    const correlationId = request.getCorrelationId()?.getString() ?? '';
    const options = request.getOptions();
    const problem = options === undefined ? undefined : this.#start(correlationId, options);
    const receiving = this.#receiving.get(correlationId);
    // A chunk with an unknown correlation id and without options is ignored.
    if (receiving === undefined) return;
    const proposed = request.getProposedMessagesList().map(proposedIn);
    const fault = problem ?? problemIn(proposed);
    if (fault !== undefined) {
      this.#refuse(receiving, fault, options !== undefined);
      return;
    }
    receiving.events.push(...proposed.filter(isComplete));
    if (request.getIsFinal()) this.#finish(receiving);
  }

  close(isGraceful: boolean): void {
    this.#closed = true;
    for (const { timer } of this.#receiving.values()) clearTimeout(timer);
    if (isGraceful) this.#call.end();
  }

  #start(correlationId: string, options: BatchAppendReq.Options): string | undefined {
    const stream = nameIn(options.getStreamIdentifier());
    const expected = expectedIn(options, options.hasStreamPosition() ? options.getStreamPosition() : undefined);
    const about: AppendContext = { correlationId, stream, expected: expected ?? 'any' };
    const deadline = options.getDeadline()?.toDate().getTime() ?? Number.POSITIVE_INFINITY;
    const left = Math.max(0, Math.min(deadline - Date.now(), RECEIVE_MS));
    const expire = () => {
      if (this.#receiving.delete(correlationId)) this.#send(timeoutResponse(about));
    };
    this.#receiving.set(correlationId, { about, events: [], timer: setTimeout(expire, left) });
    if (left === 0) expire();
    if (!UUID.test(correlationId)) return 'the correlation id is malformed';
    if (stream === '') return 'the stream has no name';
    return expected === undefined ? 'no expected position' : undefined;
  }

  // The server reports a fault in the first chunk but keeps the pending write, so a timeout follows. A fault in a later
  // chunk is an uncaught exception.
  #refuse({ about }: Receiving, fault: string, isFirst: boolean): void {
    if (isFirst) this.#send(badRequestResponse(about, fault));
    else this.#ending.fail(thrownByHandler());
  }

  #finish({ about, events, timer }: Receiving): void {
    clearTimeout(timer);
    this.#receiving.delete(about.correlationId);
    if (!this.#backend.isReady()) {
      this.#send(notReadyResponse(about));
      return;
    }
    if (misbehaves(this.#backend, 'batch-append', this.#ending)) return;
    this.#backend.store.append(about.stream, about.expected, events).then(
      (outcome) =>
        misbehaves(this.#backend, 'batch-append', this.#ending, true) || this.#send(responseOf(about, outcome)),
      () => this.#ending.fail(thrownByHandler()),
    );
  }

  #send(response: BatchAppendResp): void {
    if (!this.#closed && !this.#call.cancelled) this.#call.write(response);
  }
}

const problemIn = (proposed: readonly ReturnType<typeof proposedIn>[]): string | undefined => {
  if (!proposed.every(isComplete)) return 'Required Metadata Property type or content-type is missing';
  return proposed.every(({ id }) => UUID.test(id)) ? undefined : 'an event id is malformed';
};
