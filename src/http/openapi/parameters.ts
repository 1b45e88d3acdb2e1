// The path, query and header parameters in the OpenAPI document.
import { type Io, type NamedSchemas, nameOf } from '../request/json-schemas.js';
import { RequestHeaders } from '../route/requests.js';
import {
  acceptsIdempotencyKey,
  acceptsPrecondition,
  hasValidator,
  paramNames,
  type Route,
  readsView,
} from '../route/route.js';

type Json = Readonly<Record<string, unknown>>;

const IN: Io = 'input';

/** The request headers, and the routes that accept each. */
const HEADERS: readonly {
  readonly name: string;
  readonly description: string;
  readonly isAcceptedBy: (route: Route) => boolean;
}[] = [
  {
    name: 'app-name',
    description: 'The name of the client application, which is stored with the session.',
    isAcceptedBy: ({ acceptsAppName }) => acceptsAppName === true,
  },
  {
    name: 'Consistency-Token',
    description: 'The token from the response to a write. The response is at least as recent as that write.',
    isAcceptedBy: readsView,
  },
  {
    name: 'If-None-Match',
    description: 'An ETag. The response is 304 if the ETag is still current.',
    isAcceptedBy: hasValidator,
  },
  {
    name: 'If-Match',
    description:
      'The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag.',
    isAcceptedBy: acceptsPrecondition,
  },
  {
    name: 'Idempotency-Key',
    description:
      'A unique key for each request. For 24 hours, a request with the same key and body gets the stored response.',
    isAcceptedBy: acceptsIdempotencyKey,
  },
];

/** Collects the parameters that operations share. */
export class Parameters {
  readonly #schemas: NamedSchemas;
  readonly #shared = new Map<string, Json>();

  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas;
  }

  /** The shared parameters by name. */
  get all(): Json {
    return Object.fromEntries(this.#shared);
  }

  /** Returns the parameters of a route. */
  forRoute(route: Route): readonly Json[] {
    const headers = HEADERS.filter(({ isAcceptedBy }) => isAcceptedBy(route));
    return [
      ...paramNames(route.path).map((name) =>
        this.#share({ name, in: 'path', required: true, ...inPath(route, name) }),
      ),
      ...this.#ofQuery(route),
      ...(route.travelsInTime ? [this.#share(asOf)] : []),
      ...headers.map(({ name, description }) =>
        this.#share({ name, in: 'header', description, schema: this.#headerSchema(name) }),
      ),
    ];
  }

  #share(parameter: Json & { readonly name: string }): Json {
    this.#shared.set(parameter.name, parameter);
    return { $ref: `#/components/parameters/${parameter.name}` };
  }

  #headerSchema(name: string): Json {
    const parsed = RequestHeaders.shape[name.toLowerCase() as keyof typeof RequestHeaders.shape];
    return parsed === undefined ? { type: 'string' } : this.#schemas.shown(parsed, IN);
  }

  #ofQuery({ query }: Route): readonly Json[] {
    if (query === undefined) return [];
    const { properties = {}, required = [] } = this.#schemas.shown(query, IN, nameOf(query)) as {
      readonly properties?: Readonly<Record<string, Json>>;
      readonly required?: readonly string[];
    };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
    }));
  }
}

const inPath = ({ texts = {} }: Route, name: string): Json => {
  const { pattern, ...shown } = texts[name] ?? {};
  return pattern === undefined ? { schema: UUID } : { ...shown, schema: { type: 'string', pattern } };
};

const UUID = { type: 'string', format: 'uuid' };

const asOf = {
  name: 'asOf',
  in: 'query',
  description: 'The response shows the state at this time.',
  schema: { type: 'string', format: 'date-time' },
};
