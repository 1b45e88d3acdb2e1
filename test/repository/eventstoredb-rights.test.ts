// Runs the file that sets the rights in EventStoreDB against a server that only records what is appended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type handleClientStreamingCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';

const appended: string[] = [];
const append: handleClientStreamingCall<AppendReq, streams.AppendResp> = (call, callback) => {
  call.on('data', (request: AppendReq) => {
    const name = request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8();
    const event = request.getProposedMessage();
    if (name !== undefined) appended.push(Buffer.from(name).toString());
    if (event !== undefined) {
      appended.push(`${event.getMetadataMap().get('type')} ${Buffer.from(event.getData_asU8()).toString()}`);
    }
  });
  call.on('end', () => callback(null, new streams.AppendResp().setSuccess(new streams.AppendResp.Success())));
};

const server = new Server();
let port = 0;
beforeAll(async () => {
  server.addService(StreamsService, { append });
  port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
});
afterAll(() => server.forceShutdown());

it('lets the group append and read, and administrators alone delete and set metadata', async () => {
  const file = fileURLToPath(new URL('../../deploy/eventstoredb-rights.mjs', import.meta.url));
  const env = { ...process.env, EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  expect(await once(child, 'exit')).toEqual([0, null]);
  const [clinic, admins] = [['clinic', '$admins'], ['$admins']];
  const $systemStreamAcl = { $r: admins, $w: admins, $d: admins, $mr: admins, $mw: admins };
  const $userStreamAcl = { ...$systemStreamAcl, $r: clinic, $w: clinic };
  const [, metadata = '', , acl = ''] = appended;
  expect(appended).toEqual(['$$$all', metadata, '$settings', acl]);
  expect(metadata).toBe(`$metadata ${JSON.stringify({ $acl: { $r: clinic } })}`);
  expect(JSON.parse(acl.replace('update-default-acl ', ''))).toEqual({ $userStreamAcl, $systemStreamAcl });
});
