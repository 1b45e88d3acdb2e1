// A program that sends many requests at once. It is a process of its own, so that its work delays no probe of a test.
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

/** Sends a request whose body is a list of chunks, in one piece: the client of Node.js would join small chunks. */
const sendChunks = ({ url, method, headers, body }) =>
  new Promise((resolve) => {
    const { hostname, port, pathname } = new URL(url);
    const fields = Object.entries({ Host: hostname, 'Transfer-Encoding': 'chunked', Connection: 'close', ...headers });
    const chunks = [...body, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    const head = [`${method} ${pathname} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
    const socket = net.connect(Number(port), hostname, () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${chunks.join('')}`),
    );
    socket.once('data', (data) => {
      resolve(Number(String(data).split(' ')[1]));
      socket.destroy();
    });
    socket.on('error', ({ code }) => resolve(code));
  });

/** Sends a request. Resolves with the status, or with the code of an error of the connection. */
const send = (agent, { url, method, headers, body }) =>
  new Promise((resolve) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', ({ code }) => resolve(code));
    request.end(body === undefined ? body : Buffer.from(body, 'base64'));
  });

/** Opens the connections first. Then sends the request on all of them at once. Returns how often each status came. */
const burst = async ({ count, probe, ...request }) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: count });
  const all = (each) => Promise.all(Array.from({ length: count }, () => send(agent, each)));
  await all({ url: probe, method: 'GET' });
  const statuses = Array.isArray(request.body)
    ? await Promise.all(Array.from({ length: count }, () => sendChunks(request)))
    : await all(request);
  agent.destroy();
  return Object.fromEntries(
    [...new Set(statuses)].map((each) => [each, statuses.filter((one) => one === each).length]),
  );
};

process.on('message', async (request) => process.send(await burst(request)));
await once(process, 'disconnect');
process.exit();
