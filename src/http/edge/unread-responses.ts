// Bounds the memory of responses that their clients do not read. Without a bound, 10,000 connections could each hold a
// response of a megabyte until they time out.
import type { ServerResponse } from 'node:http';

/** Closes the connections whose responses have waited longest to be read, while all unread bytes exceed the maximum. */
export class UnreadResponses {
  readonly #maxBytes: number;
  readonly #bytesOf = new Map<ServerResponse, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts the unwritten bytes of a response when it ends. Most responses are completely written by then. */
  watch(response: ServerResponse): void {
    response.once('prefinish', () => {
      const bytes = response.socket?.writableLength ?? 0;
      if (bytes > 0) this.#hold(response, bytes);
    });
  }

  #hold(response: ServerResponse, bytes: number): void {
    this.#bytesOf.set(response, bytes);
    this.#bytes += bytes;
    response.once('close', () => this.#release(response));
    // A map iterates in insertion order, so the oldest response comes first.
    for (const oldest of this.#bytesOf.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#release(oldest);
      oldest.destroy();
    }
  }

  #release(response: ServerResponse): void {
    this.#bytes -= this.#bytesOf.get(response) ?? 0;
    this.#bytesOf.delete(response);
  }
}
