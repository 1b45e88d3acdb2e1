// Handles the requests of a connection one after another. Node.js emits every pipelined request (RFC 9112, 9.3.2) as
// soon as it has read the request. Without this listener, one client could keep thousands of requests running at the
// same time.
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns a listener that handles a request after the responses before it are sent. At most `maxWaiting` requests
 * wait.
 */
export const oneAtATime = (handle: RequestListener, maxWaiting: number): RequestListener => {
  const waiting = new Set<IncomingMessage>();
  const bySocket = new Map<Socket, number>();
  const watched = new WeakSet<Socket>();

  const join = (request: IncomingMessage): void => {
    const { socket } = request;
    waiting.add(request);
    bySocket.set(socket, (bySocket.get(socket) ?? 0) + 1);
    socket.pause();
    if (watched.has(socket)) return;
    watched.add(socket);
    // Node.js resumes a connection when it reads a body, so the listener pauses the connection again.
    socket.on('resume', () => {
      if (bySocket.has(socket)) socket.pause();
    });
  };
  const leave = (request: IncomingMessage): void => {
    if (!waiting.delete(request)) return;
    const { socket } = request;
    const others = (bySocket.get(socket) ?? 0) - 1;
    if (others > 0) {
      bySocket.set(socket, others);
      return;
    }
    bySocket.delete(socket);
    socket.resume();
  };
  return (request, response) => {
    // Node.js assigns the socket to a response after the responses before it are sent. Most responses have it from the
    // start.
    if (response.socket !== null) {
      handle(request, response);
    } else if (waiting.size >= maxWaiting) {
      request.socket.destroy();
    } else {
      join(request);
      response.once('socket', () => {
        leave(request);
        // Node.js has not finished setting up the response.
        process.nextTick(handle, request, response);
      });
      request.once('close', () => leave(request));
    }
  };
};
