// A client with one connection, which measures latencies and sends varying requests.
import { Agent, request } from 'node:http';

/** A request. `token` is an access token. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly token?: string | undefined;
}

/** Sends one request at a time over a persistent connection. */
export class Caller {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the milliseconds from the request to the end of its response. Rejects if the response is not a success. */
  async timed(sent: Sent): Promise<number> {
    const started = performance.now();
    await this.text(sent);
    return performance.now() - started;
  }

  /** Returns the JSON of a response. Rejects if the response is not a success. */
  async json<Body>(sent: Sent): Promise<Body> {
    return JSON.parse(await this.text(sent)) as Body;
  }

  /** Returns the text of a response. Rejects if the response is not a success. */
  async text(sent: Sent): Promise<string> {
    const { status, text } = await this.#respond(sent);
    if (status >= 300 || status === 0) throw new Error(`${sent.method} ${sent.path}: ${status} ${text}`);
    return text;
  }

  #respond({ method, path, body, token }: Sent): Promise<{ readonly status: number; readonly text: string }> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && { 'content-type': 'application/json', 'content-length': content.length }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.once('error', reject);
      sent.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
