// An HTTP client of the service. The client knows only the address.

/** A response of the service. `body` is parsed if it is JSON, else it is the text. */
export interface ClientResponse<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** The headers and the body of a request. `json` is sent as JSON, `bytes` unchanged. */
export interface RequestContent {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly bytes?: string | Uint8Array;
}

type Headed = RequestContent['headers'];

/** Calls one server at its current address. The type argument of a response is not checked. */
export class Client {
  /** The headers of every request. */
  headers: Readonly<Record<string, string>> = {};
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  async send<T = unknown>(method: string, path: string, content: RequestContent = {}): Promise<ClientResponse<T>> {
    const body = content.json === undefined ? content.bytes : JSON.stringify(content.json);
    const headers = {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...this.headers,
      ...content.headers,
    };
    const response = await fetch(`${this.#url()}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '') && text !== '';
    const result = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    if (result.status >= 400) {
      const { expectListedProblem } = await import('./listed-refusals.js');
      expectListedProblem({ method, path, headers: new Headers(headers) }, result);
    }
    return result;
  }

  get<T = unknown>(path: string, headers?: Headed): Promise<ClientResponse<T>> {
    return this.send('GET', path, { headers });
  }

  post<T = unknown>(path: string, json?: unknown, headers?: Headed): Promise<ClientResponse<T>> {
    return this.send('POST', path, { json, headers });
  }

  put<T = unknown>(path: string, json?: unknown, headers?: Headed): Promise<ClientResponse<T>> {
    return this.send('PUT', path, { json, headers });
  }

  patch<T = unknown>(path: string, json?: unknown, headers?: Headed): Promise<ClientResponse<T>> {
    return this.send('PATCH', path, { json, headers });
  }
}
