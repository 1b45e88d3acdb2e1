// Handles the requests of a connection one after another. Node.js emits every pipelined request (RFC 9112, 9.3.2) as
// soon as it has read the request. Without this listener, one client could keep thousands of requests running at the
// same time.
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns a listener that handles a request after the responses before it are sent. At most `maxWaiting` requests
 * wait.
 */
export const oneAtATime = (handle: RequestListener, maxWaiting: number): RequestListener => {
  const waiting = new Waiting();
  return (request, response) => {
    // Node.js assigns the socket to a response after the responses before it are sent. Most responses have it from the
    // start.
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    if (waiting.total >= maxWaiting) {
      socket.destroy();
      return;
    }
    const leave = waiting.join(socket);
    response.once('socket', () => {
      leave();
      // Node.js has not finished setting up the response.
      process.nextTick(handle, request, response);
    });
    request.once('close', leave);
  };
};

/** Counts the waiting requests and pauses their connections. */
class Waiting {
  total = 0;
  readonly #bySocket = new Map<Socket, number>();
  readonly #watched = new WeakSet<Socket>();

  /** Counts one request. Returns a function that stops counting it. */
  join(socket: Socket): () => void {
    let isIn = true;
    this.#add(socket, 1);
    this.#keepPaused(socket);
    return () => {
      if (isIn) this.#add(socket, -1);
      isIn = false;
    };
  }

  #add(socket: Socket, count: number): void {
    this.total += count;
    const ofSocket = (this.#bySocket.get(socket) ?? 0) + count;
    if (ofSocket > 0) {
      this.#bySocket.set(socket, ofSocket);
      return;
    }
    this.#bySocket.delete(socket);
    socket.resume();
  }

  // Node.js resumes a connection when it reads a body, so the listener pauses the connection again.
  #keepPaused(socket: Socket): void {
    socket.pause();
    if (this.#watched.has(socket)) return;
    this.#watched.add(socket);
    socket.on('resume', () => {
      if (this.#bySocket.has(socket)) socket.pause();
    });
  }
}
