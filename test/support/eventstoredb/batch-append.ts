// The BatchAppend method: one call a client, appends told apart by correlation ids, one answer each, in any order.
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { type Answered, answerOf, badRequestAnswer, notReadyAnswer, timeoutAnswer } from './batch-messages.js';
import { type Backend, type Ending, misbehaves } from './calls.js';
import { thrownByHandler } from './errors.js';
import { expectedIn, isComplete, nameIn, proposedIn } from './frames.js';
import type { ProposedEvent } from './records.js';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

interface Receiving {
  readonly about: Answered;
  readonly events: ProposedEvent[];
  readonly timer: NodeJS.Timeout;
}

// A batch has so long to arrive; an earlier deadline shortens it.
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
    // A correlation id that is unknown, without options, is ignored.
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
    const about: Answered = { correlationId, stream, expected: expected ?? 'any' };
    const deadline = options.getDeadline()?.toDate().getTime() ?? Number.POSITIVE_INFINITY;
    const left = Math.max(0, Math.min(deadline - Date.now(), RECEIVE_MS));
    const expire = () => {
      if (this.#receiving.delete(correlationId)) this.#answer(timeoutAnswer(about));
    };
    this.#receiving.set(correlationId, { about, events: [], timer: setTimeout(expire, left) });
    if (left === 0) expire();
    if (!UUID.test(correlationId)) return 'the correlation id is malformed';
    if (stream === '') return 'the stream has no name';
    return expected === undefined ? 'no expected position' : undefined;
  }

  // What is wrong with the first chunk is answered, and as the pending write is not removed, its timeout follows; what is
  // wrong with a later one is not caught.
  #refuse({ about }: Receiving, fault: string, isFirst: boolean): void {
    if (isFirst) this.#answer(badRequestAnswer(about, fault));
    else this.#ending.fail(thrownByHandler());
  }

  #finish({ about, events, timer }: Receiving): void {
    clearTimeout(timer);
    this.#receiving.delete(about.correlationId);
    if (!this.#backend.isReady()) {
      this.#answer(notReadyAnswer(about));
      return;
    }
    if (misbehaves(this.#backend, 'batch-append', this.#ending)) return;
    this.#backend.store.append(about.stream, about.expected, events).then(
      (outcome) =>
        misbehaves(this.#backend, 'batch-append', this.#ending, true) || this.#answer(answerOf(about, outcome)),
      () => this.#ending.fail(thrownByHandler()),
    );
  }

  #answer(answer: BatchAppendResp): void {
    if (!this.#closed && !this.#call.cancelled) this.#call.write(answer);
  }
}

const problemIn = (proposed: readonly ReturnType<typeof proposedIn>[]): string | undefined => {
  if (!proposed.every(isComplete)) return 'Required Metadata Property type or content-type is missing';
  return proposed.every(({ id }) => UUID.test(id)) ? undefined : 'an event id is malformed';
};
