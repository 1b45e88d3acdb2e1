// One client with one connection, for latencies and for requests that differ.
import { Agent, request } from 'node:http';

/** A request; `token` is an access token. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly token?: string | undefined;
}

/** A request whose body is sent as it is. */
export interface SentBytes {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: Buffer | undefined;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly text: string;
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
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const { status, text } = await this.answer({ method, path, headers, content });
    if (status >= 300 || status === 0) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return text;
  }

  /** Whatever is answered to these bytes, as JSON. */
  answer({ method, path, headers, content }: SentBytes): Promise<Answered> {
    const all = {
      ...(content !== undefined && { 'content-type': 'application/json', 'content-length': content.length }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method, headers: all, agent: this.#agent }, (response) => {
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
