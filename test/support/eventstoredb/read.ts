// The Read method: reads part of a stream or of the log, or subscribes to one.
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type Backend, drained, misbehaves } from './calls.js';
import { callError, streamDeleted, thrownByHandler } from './errors.js';
import { eventFrame, nameIn, notFoundFrame } from './frames.js';
import type { StoredEvent } from './records.js';
import type { Store } from './store.js';
import { filterOf, Subscription } from './subscription.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;
type Options = ReadReq.Options;

/** The result of a read: events in the order of the response, or the name of a missing stream. */
type Found = readonly StoredEvent[] | { readonly missing: string };

export const readHandler =
  (backend: Backend, subscriptions: Set<Subscription>): handleServerStreamingCall<ReadReq, ReadResp> =>
  (call) => {
    const options = call.request.getOptions();
    const isSubscription = options?.hasSubscription() === true;
    const ending = { fail: (error: Error) => void call.emit('error', error), end: () => void call.end() };
    if (misbehaves(backend, isSubscription ? 'subscribe' : 'read', ending)) return;
    run(backend, subscriptions, call).catch((error: Error) => call.emit('error', error));
  };

const run = async (backend: Backend, subscriptions: Set<Subscription>, call: Call): Promise<void> => {
  const options = call.request.getOptions();
  const { store } = backend;
  if (options === undefined) throw thrownByHandler();
  if (options.hasSubscription()) await subscribe(backend, subscriptions, call, options);
  else await respond(backend, call, options.hasStream() ? inStream(store, options) : await inLog(backend, options));
};

const subscribe = async (backend: Backend, open: Set<Subscription>, call: Call, options: Options): Promise<void> => {
  const { store } = backend;
  const all = options.getAll();
  const after = all?.hasStart() ? -1 : placeIn(options);
  const isAfterEvent = after < 0 || store.isAtEvent(after) || after > lastOf(store);
  if (!isAfterEvent) throw thrownByHandler();
  await new Subscription(backend, call, options, open).run(after);
};

const respond = async ({ eventMs }: Backend, call: Call, found: Found): Promise<void> => {
  if ('missing' in found) call.write(notFoundFrame(found.missing));
  else for (const event of found) await send(call, event, eventMs());
  call.end();
};

const send = async (call: Call, event: StoredEvent, ms: number): Promise<void> => {
  if (ms > 0) await pause(ms);
  if (!call.write(eventFrame(event))) await drained(call);
};

const BACKWARDS = 1;

const inStream = (store: Store, options: Options): Found => {
  const from = options.getStream();
  const stream = nameIn(from?.getStreamIdentifier());
  const revision = revisionIn(from);
  if (store.isTombstoned(stream)) throw streamDeleted(stream);
  const events = store.visible(stream);
  if (events === undefined) return { missing: stream };
  // Backwards from beyond the end starts at the last event.
  const found =
    options.getReadDirection() === BACKWARDS
      ? events.filter((event) => event.revision <= (revision ?? Number.POSITIVE_INFINITY)).reverse()
      : events.filter((event) => event.revision >= (revision ?? 0));
  return found.slice(0, Number(options.getCount()));
};

const revisionIn = (from: ReadReq.Options.StreamOptions | undefined): number | undefined => {
  if (from?.hasStart()) return 0;
  return from?.hasRevision() ? Number(from.getRevision()) : undefined;
};

const inLog = async (backend: Backend, options: Options): Promise<Found> => {
  const { store, examinedPerMs } = backend;
  const isBackwards = options.getReadDirection() === BACKWARDS;
  const count = Number(options.getCount());
  const filter = filterOf(options);
  const from = startIn(store, options);
  // A forward read includes the event at the position, a backward read excludes it.
  const start = store.indexAfter(from - 1);
  if (filter === undefined) {
    const read = isBackwards
      ? store.log.slice(Math.max(0, start - count), start).reverse()
      : store.log.slice(start, start + count);
    backend.examined(read.length);
    return read;
  }
  const events = isBackwards ? store.log.slice(0, start).reverse() : store.log.slice(start);
  const found = events.filter(filter.matches).slice(0, count);
  const last = found.at(-1);
  const examined = found.length < count || last === undefined ? events.length : events.indexOf(last) + 1;
  backend.examined(examined);
  // A filtered read is silent until it finds something.
  await pause(examined / examinedPerMs());
  return found;
};

const startIn = (store: Store, options: Options): number => {
  const place = placeIn(options);
  const isPastEnd = place > lastOf(store);
  if (place > 0 && !isPastEnd && !store.isAtEvent(place)) {
    throw callError(status.UNKNOWN, 'Unexpected ReadAllResult: Error');
  }
  return place;
};

const placeIn = (options: Options): number => {
  const all = options.getAll();
  if (all?.hasStart()) return 0;
  if (all?.hasEnd()) return Number.POSITIVE_INFINITY;
  return Number(all?.getPosition()?.getCommitPosition());
};

const lastOf = (store: Store): number => store.log.at(-1)?.position ?? 0;
