// A program that sends many requests at once. It is a process of its own, so that its work delays no probe of a test.
import { once } from 'node:events';
import http from 'node:http';

/** Sends a request, in chunks if its body is a list. Resolves with the status, or the code of an error of the connection. */
const send = (agent, { url, method, headers, body }) =>
  new Promise((resolve) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', ({ code }) => resolve(code));
    if (!Array.isArray(body)) request.end(body === undefined ? body : Buffer.from(body, 'base64'));
    else {
      request.socket?.setNoDelay(true);
      request.cork();
      for (const chunk of body) request.write(chunk);
      request.end();
      request.uncork();
    }
  });

/** Opens the connections first. Then sends the request on all of them at once. Returns how often each status came. */
const burst = async ({ count, probe, ...request }) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: count });
  const all = (each) => Promise.all(Array.from({ length: count }, () => send(agent, each)));
  await all({ url: probe, method: 'GET' });
  const statuses = await all(request);
  agent.destroy();
  return Object.fromEntries(
    [...new Set(statuses)].map((each) => [each, statuses.filter((one) => one === each).length]),
  );
};

process.on('message', async (request) => process.send(await burst(request)));
await once(process, 'disconnect');
process.exit();
