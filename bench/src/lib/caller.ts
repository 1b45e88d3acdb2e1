// One client with one connection, for latencies.
import { Agent, request } from 'node:http';

/** Sends one request at a time over a connection that it keeps. */
export class Caller {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** The milliseconds from the request to the end of its answer; throws where that is no success. */
  async timed(method: string, path: string, body: object): Promise<number> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const started = performance.now();
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject);
      sent.end(text);
    });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}`);
    return performance.now() - started;
  }

  close(): void {
    this.#agent.destroy();
  }
}
