// Sends requests as bytes on a socket, for requests that an HTTP client would never send.
import { connect, type Socket } from 'node:net';

/** A response after which the server closed the connection. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Opens a connection to the server at `url`. */
export const openSocket = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
};

/** Sends `request` unchanged and reads until the server closes the connection. */
export const sendRaw = async (url: string, request: string | Uint8Array): Promise<RawResponse> => {
  const socket = await openSocket(url);
  socket.write(request);
  return readResponse(socket);
};

/** Reads the only response on a connection that the server closes. */
export const readResponse = async (socket: Socket): Promise<RawResponse> => {
  const [head = '', ...rest] = (await everythingFrom(socket)).split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field) => [field.split(':', 1)[0] ?? '', field.slice(field.indexOf(':') + 1)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
};

// A client that still sends may get an error after the response. The response is complete all the same.
const everythingFrom = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
    socket.once('close', () => resolve(Buffer.concat(parts).toString()));
  });

/** A request as a client writes it. */
export interface WrittenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
}

/** Sends a request without the last byte of its body. `finish` sends that byte and returns the response. */
export const holdRequest = async (url: string, { method, path, headers, json }: WrittenRequest) => {
  const body = Buffer.from(JSON.stringify(json));
  const fields = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': `${body.length}`,
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = await openSocket(url);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body.subarray(0, -1));
  const response = readResponse(socket);
  return {
    finish: async () => {
      socket.write(body.subarray(-1));
      return response;
    },
  };
};
