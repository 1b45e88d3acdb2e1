// Tests that the stand-in for EventStoreDB keeps the promise of gRPC for broken calls: the server never sees them end.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { credentials } from '@grpc/grpc-js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { expect, it, onTestFinished } from 'vitest';
import { Node, newEvents, newName } from './harness.js';

const node = new Node();

/** Starts a proxy whose connections a test can cut, as if a client were killed. */
const wayTo = async (url: string) => {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  let seen = 0;
  const way: Server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    sockets.push(socket, onward);
    socket.on('data', (bytes) => {
      seen += bytes.length;
    });
    for (const each of [socket, onward]) each.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
    way.close();
  };
  onTestFinished(cut);
  const address = way.address();
  return { port: typeof address === 'object' ? address?.port : undefined, seen: () => seen, cut };
};

const optionsFor = (stream: string) => {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  return new streams.AppendReq().setOptions(
    new streams.AppendReq.Options().setStreamIdentifier(identifier).setNoStream(new empty.Empty()),
  );
};

const event = () => {
  const message = new streams.AppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()));
  message.setData(Buffer.from(JSON.stringify({ text: 'x'.repeat(10_000) })));
  message.getMetadataMap().set('type', 'Half').set('content-type', 'application/json');
  return new streams.AppendReq().setProposedMessage(message);
};

it('an append whose connection breaks before it ends writes nothing', async () => {
  for (let round = 0; round < 20; round += 1) {
    const [stream, other] = [newName(), newName()];
    const way = await wayTo(node.real ?? node.server.url);
    const client = new StreamsClient(`127.0.0.1:${way.port}`, credentials.createInsecure());
    const failed = new Promise<Error | null>((resolve) => {
      const call = client.append((error) => resolve(error));
      for (const request of [optionsFor(stream), event()]) call.write(request);
    });
    await expect.poll(way.seen, { interval: 2, timeout: 20_000 }).toBeGreaterThan(10_000);
    way.cut();
    expect(await failed).toMatchObject({ code: 14 });
    client.close();
    await node.ways.append(other, newEvents(1), 'no_stream');
    await expect(node.idsOf(stream)).rejects.toThrow('not found');
  }
});
