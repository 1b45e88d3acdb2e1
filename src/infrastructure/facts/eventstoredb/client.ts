// The only module that uses private members of the client of EventStoreDB. The service cannot do without them: the
// public reads of the log have no filter and no deadline, and the public appends have three faults (batch-append.ts).
// The members change without notice, so package.json pins the client to one version.

import { EventStoreDBClient } from '@eventstore/db-client';
import { convertGrpcRecord } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';

// Parameters that the service sets unless the connection string does.
const DEFAULTS = {
  // At least 15 s, because an election takes up to 10 s. The client's own limit is 10 attempts.
  maxDiscoverAttempts: 150,
  discoveryInterval: 100,
  // In seconds. With the client's own limit, a frozen node would take 5 s of an attempt.
  gossipTimeout: 1,
  // A frozen node is detected within 4 s. The client's own settings need 20 s.
  keepAliveInterval: 2_000,
  keepAliveTimeout: 2_000,
};

/** Returns an event of a response as the public reads of the client return it. */
export const receivedEvent = convertGrpcRecord;

/** A connection to one EventStoreDB, which is a node or a cluster. It connects on first use. */
export class EventStoreClient {
  readonly #client: EventStoreDBClient;

  constructor(url: string) {
    this.#client = withoutWarning(() => EventStoreDBClient.connectionString(withDefaults(url)));
    // The client neither awaits nor catches its own `handleError` (Client/index.js: `execute`, `GRPCStreamCreator`).
    // `handleError` awaits the current channel, so it rejects if that channel is still being discovered and discovery
    // fails. The unhandled rejection would end the process. Nothing is lost: every call that waits for the channel
    // rejects with the same error.
    const handleError = this.#client['handleError'];
    this.#client['handleError'] = (failed, error) => handleError(failed, error).catch(() => undefined);
    // `handleError` closes the channel. A call that was about to use the channel would then throw in a place in which
    // the client may catch nothing. One turn later the call has started, and rejects as other calls do.
    const createChannel: EventStoreDBClient['getChannel'] = this.#client['createChannel'];
    this.#client['createChannel'] = async () => {
      const channel = await createChannel();
      const close = channel.close.bind(channel);
      return Object.assign(channel, { close: () => void setImmediate(close) });
    };
  }

  /** Returns the service of the streams on the current connection. A cluster is searched for its leader first. */
  node(): Promise<StreamsClient> {
    return this.#client['execute'](StreamsClient, 'streams', async (node) => node);
  }

  /** Returns the metadata and the options of a call. Only the leader serves the call: a follower may lack events. */
  callArguments(): [metadata: Metadata, options: CallOptions] {
    return this.#client['callArguments']({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY });
  }

  /**
   * Reports that a call on a connection failed. If the error shows that the connection is lost, or that the node is not
   * the leader, later calls use another connection. Open calls continue.
   */
  failed(node: StreamsClient, error: Error): void {
    void this.#client['handleError'](node, error);
  }
}

// The defaults come first, because the client uses the last value of a parameter.
const withDefaults = (url: string): string => {
  const defaults = Object.entries(DEFAULTS)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  // The user and the password before the first @ may hold a question mark.
  const query = url.indexOf('?', url.indexOf('@') + 1);
  if (query < 0) return `${url.trim().replace(/\/+$/, '')}?${defaults}`;
  return `${url.slice(0, query)}?${defaults}&${url.slice(query + 1)}`;
};

const WARNING = `Specified KeepAliveInterval of ${DEFAULTS.keepAliveInterval} is less than recommended 10_000 ms.`;

// The client prints the warning for every interval below 10 s. The operator did not choose the default.
const withoutWarning = <T>(make: () => T): T => {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (words[0] !== WARNING) warn(...words);
  };
  try {
    return make();
  } finally {
    console.warn = warn;
  }
};
