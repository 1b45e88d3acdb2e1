// An OpenTelemetry collector for tests. It keeps what it receives with OTLP over HTTP and responds as the test chooses.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isFailed: boolean;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentSpan extends Omit<ReceivedSpan, 'attributes' | 'isFailed'> {
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
}

interface SentSpans {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** Responds to a request. */
type Respond = (response: ServerResponse) => void;

const accept: Respond = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
};

const FAILED = 2;

/** A collector that runs until the test closes it. */
export class Collector {
  /** The bodies of all requests. */
  readonly bodies: Buffer[] = [];
  readonly #server: Server;

  private constructor(respond: Respond) {
    this.#server = createServer((request, response) => {
      void buffer(request).then((body) => {
        this.bodies.push(body);
        respond(response);
      });
    });
  }

  /** Starts a collector. By default it accepts everything. */
  static async start(respond: Respond = accept): Promise<Collector> {
    const collector = new Collector(respond);
    await once(collector.#server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The bytes of all requests. */
  get bytes(): Buffer {
    return Buffer.concat(this.bodies);
  }

  get spans(): readonly ReceivedSpan[] {
    const scopes = this.#sent().flatMap(({ scopeSpans }) => scopeSpans);
    return scopes.flatMap(({ spans }) => spans.map(received));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #sent(): SentSpans['resourceSpans'] {
    return this.bodies.flatMap((body) => (JSON.parse(body.toString()) as SentSpans).resourceSpans);
  }
}

const received = ({ attributes, status, ...span }: SentSpan): ReceivedSpan => ({
  ...span,
  attributes: valuesOf(attributes),
  isFailed: status?.code === FAILED,
});

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
