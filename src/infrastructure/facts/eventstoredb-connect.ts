// Creates the client of EventStoreDB, with the additions that it needs to survive the failover of a cluster.
import { EventStoreDBClient } from '@eventstore/db-client';

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

/** Returns a client that connects when it is first used. Throws if `url` is not a connection string. */
export const connect = (url: string): EventStoreDBClient => {
  const client = withoutWarning(() => EventStoreDBClient.connectionString(withDefaults(url)));
  // The client neither awaits nor catches its own `handleError` (Client/index.js: `execute`, `GRPCStreamCreator`).
  // `handleError` awaits the current channel, so it rejects if that channel is still being discovered and discovery
  // fails. The unhandled rejection would end the process. Nothing is lost: every call that waits for the channel
  // rejects with the same error.
  const handleError = client['handleError'];
  client['handleError'] = (failed, error) => handleError(failed, error).catch(() => undefined);
  // `handleError` closes the channel. A call that was about to use the channel would then throw in a place in which the
  // client may catch nothing. One turn later the call has started, and rejects as other calls do.
  const createChannel: EventStoreDBClient['getChannel'] = client['createChannel'];
  client['createChannel'] = async () => {
    const channel = await createChannel();
    const close = channel.close.bind(channel);
    return Object.assign(channel, { close: () => void setImmediate(close) });
  };
  return client;
};

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
