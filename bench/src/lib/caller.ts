// One client with one connection, for latencies and for requests that differ.
import { Agent, request } from 'node:http';

/** A request; `token` is an access token. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly token?: string | undefined;
}

/** Sends one request at a time over a connection that it keeps. */
export class Caller {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** The milliseconds from the request to the end of its answer; throws where that is no success. */
  async timed(sent: Sent): Promise<number> {
    const started = performance.now();
    await this.text(sent);
    return performance.now() - started;
  }

  /** The JSON that is answered; throws where that is no success. */
  async json<Answer>(sent: Sent): Promise<Answer> {
    return JSON.parse(await this.text(sent)) as Answer;
  }

  /** The text that is answered; throws where that is no success. */
  async text({ method, path, body, token }: Sent): Promise<string> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...(content !== undefined && { 'content-type': 'application/json', 'content-length': content.length }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
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
    if (status >= 300 || status === 0) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }
}
