// A process loads only the engines that it uses, because the clients of all engines would double the time of a start.
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';
import { withoutModules } from '../support/without-modules.js';

// The service loads only the API of OpenTelemetry, which does nothing alone.
const SDK = ['@opentelemetry/sdk', '@opentelemetry/core', '@opentelemetry/exporter'] as const;
const OTHERS = ['mongodb', 'bullmq', 'ioredis', '@eventstore', '@grpc', '@bull-board', 'nodemailer', ...SDK] as const;

it('a service on embedded engines loads no client of another engine', async () => {
  const server = new Server(temporaryDirectory(), withoutModules(...OTHERS));
  await server.start();
  onTestFinished(async () => void (await server.stop()));
  expect((await server.post('/institutions', { name: 'Hospital' })).status).toBe(201);
});

it.each([
  ['MONGODB_URL', 'mongodb://127.0.0.1:1', 'mongodb'],
  ['REDIS_URL', 'redis://127.0.0.1:1', 'bullmq'],
  ['EVENTSTORE_URL', 'esdb://127.0.0.1:1?tls=false', '@eventstore'],
])('a service with %s loads the client of that engine', async (variable, url, client) => {
  const environment = {
    ...withoutModules(client),
    DATA_DIR: temporaryDirectory(),
    PORT: '0',
    MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    [variable]: url,
  };
  expect(await run('main', { environment })).toMatchObject({ code: 1, err: expect.stringContaining(client) });
});
