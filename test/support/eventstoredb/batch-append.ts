// The BatchAppend method. Each client has one call. Correlation ids identify the appends; each gets one response, in
// any order. An append is a single message, as the service sends it.
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { type AppendContext, badRequestResponse, notReadyResponse, responseOf } from './batch-messages.js';
import { type Backend, type Ending, misbehaves } from './calls.js';
import { thrownByHandler } from './errors.js';
import { expectedIn, nameIn, proposedIn } from './frames.js';

export const batchAppendHandler =
  (backend: Backend): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> =>
  (call) => {
    let isOver = false;
    const ending: Ending = { fail: (error) => void call.emit('error', error), end: () => void call.end() };
    const close = () => {
      isOver = true;
    };
    call.on('data', async (request: BatchAppendReq) => {
      const response = await append(backend, request, ending).catch(ending.fail);
      if (response !== undefined && !isOver) call.write(response);
    });
    call.on('cancelled', close);
    call.on('end', () => {
      close();
      call.end();
    });
  };

/** Returns the response to an append, or undefined if a fault takes its place. */
const append = async (backend: Backend, request: BatchAppendReq, ending: Ending) => {
  const about = contextOf(request);
  const events = proposedIn(request);
  if (about.stream === '' || events === undefined) return badRequestResponse(about, 'a name or a type is missing');
  if (!backend.isReady()) return notReadyResponse(about);
  if (misbehaves(backend, 'batch-append', ending)) return undefined;
  const outcome = await backend.store.append(about.stream, about.expected, events);
  return misbehaves(backend, 'batch-append', ending, true) ? undefined : responseOf(about, outcome);
};

const contextOf = (request: BatchAppendReq): AppendContext => {
  const options = request.getOptions();
  if (options === undefined || !request.getIsFinal()) throw thrownByHandler();
  const correlationId = request.getCorrelationId()?.getString() ?? '';
  return { correlationId, stream: nameIn(options.getStreamIdentifier()), expected: expectedIn(options) };
};
