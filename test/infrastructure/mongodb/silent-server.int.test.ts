// A connection to a MongoDB with sessions that falls silent, or that is silent at first. The stand-in of the other tests has
// no sessions and always responds.
import { createServer, Socket } from 'node:net';
import { BSON } from 'mongodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { settlesWithin } from '../../../src/infrastructure/async.js';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { HOST } from '../../support/free-port.js';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;

const hello = {
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 21,
  ok: 1,
};

const int32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [place, value] of values.entries()) bytes.writeInt32LE(value, place * 4);
  return bytes;
};

/** Returns the response to a message: a greeting, or an empty result. */
const responseTo = (message: Buffer): Buffer => {
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const body = BSON.serialize(isQuery ? hello : { ...hello, cursor: { id: 0n, ns: 'a.b', firstBatch: [] } });
  const before = isQuery ? int32(0, 0, 0, 0, 1) : Buffer.concat([int32(0), Buffer.from([0])]);
  const length = HEADER + before.length + body.length;
  return Buffer.concat([int32(length, 1, message.readInt32LE(4), isQuery ? OP_REPLY : OP_MSG), before, body]);
};

/** Starts a server that accepts connections, and responds unless it is silent. */
const startServer = async () => {
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        received = Buffer.concat([received, bytes]);
        while (received.length >= HEADER && received.length >= received.readInt32LE(0)) {
          const message = received.subarray(0, received.readInt32LE(0));
          received = received.subarray(message.length);
          if (!isSilent) socket.write(responseTo(message));
        }
      });
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  return {
    url: `mongodb://${HOST}:${port}/`,
    setSilent: (silent: boolean) => {
      isSilent = silent;
    },
  };
};

it('a close does not wait for the goodbye to a silent server', async () => {
  const server = await startServer();
  const database = new MongoConnection(server.url).open('the test', 'views');
  const find = () => database.run((db) => db.collection('some').findOne({}), 500);
  await find();
  server.setSilent(true);
  await expect(find()).rejects.toThrow();
  expect(await settlesWithin(database.close(), 5_000)).toBe(true);
});

/** Opens a database, whose calls find something, and which notes the ends of the clients that it replaced. */
const openDatabase = (url: string) => {
  const reported: Error[] = [];
  const database = new MongoConnection(url, (error) => reported.push(error)).open('the test', 'views');
  onTestFinished(() => database.close());
  const find = (ms: number) => database.run((db) => db.collection('some').findOne({}), ms);
  return { find, reported };
};

it('a call succeeds as soon as a server responds that accepted connections and was silent', async () => {
  const server = await startServer();
  server.setSilent(true);
  const { find, reported } = openDatabase(server.url);
  await expect(find(500)).rejects.toThrow('500 ms');
  server.setSilent(false);
  expect(await find(30_000)).toBeNull();
  expect(reported).toEqual([]);
});

it('a call succeeds although the driver waits without end in its check of the server', async () => {
  const server = await startServer();
  // The driver waits for `drain` after such a write, and not for its own timeout.
  const write = vi.spyOn(Socket.prototype, 'write').mockImplementationOnce(() => false);
  onTestFinished(() => write.mockRestore());
  const { find, reported } = openDatabase(server.url);
  await expect(find(30_000)).rejects.toThrow();
  expect(await find(30_000)).toBeNull();
  expect(reported).toMatchObject([{ message: expect.stringContaining('does not end') }]);
});
