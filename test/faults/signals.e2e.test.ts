// The signals that end a service.
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { Server } from '../support/server.js';

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s lets a running request finish, also if it comes twice, and ends with 0',
  async (signal) => {
    const server = new Server(temporaryDirectory());
    await server.start();
    onTestFinished(() => server.kill());
    const sent = JSON.stringify({ name: 'An institution' });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': sent.length, Expect: '100-continue' };
    const running = request(`${server.url}/institutions`, { method: 'POST', headers });
    running.flushHeaders();
    await once(running, 'continue');
    process.kill(server.pid, signal);
    await eventually(() => expect(server.log.at(-1)).toMatchObject({ msg: 'stopping', signal }));
    process.kill(server.pid, signal);
    const responded = once(running, 'response');
    running.end(sent);
    const [response] = await responded;
    expect(response.resume().statusCode).toBe(201);
    await eventually(() => expect(server.log.at(-1)).toMatchObject({ msg: 'stopped' }));
    expect(await server.stop()).toBe(0);
  },
);
