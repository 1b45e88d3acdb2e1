import { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../src/http/server/server.js';

it('never changes the prototype of a request or response', async () => {
  const app = express();
  app.get('/', (request, response) => void response.json({ path: request.path, isOfApp: request.app === app }));
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => server.close(0));
  const setPrototype = vi.spyOn(Object, 'setPrototypeOf');
  onTestFinished(() => setPrototype.mockRestore());
  const changed: unknown[] = [];
  setPrototype.mockImplementation((target: object, prototype: object | null) => {
    const isMessage = target instanceof IncomingMessage || target instanceof ServerResponse;
    if (isMessage && Object.getPrototypeOf(target) !== prototype) changed.push(target);
    Reflect.setPrototypeOf(target, prototype);
    return target;
  });
  expect(await (await fetch(server.url)).json()).toStrictEqual({ path: '/', isOfApp: true });
  // Express sets both prototypes, so the spy would see a change.
  const messages = setPrototype.mock.calls.filter(([target]) => target instanceof IncomingMessage);
  expect(messages.length).toBeGreaterThan(0);
  expect(changed).toStrictEqual([]);
});
