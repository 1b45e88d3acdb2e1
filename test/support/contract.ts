// Checks requests and responses against the OpenAPI 3.1 document of the service.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Client, ClientResponse } from './client.js';

/** The parts of the OpenAPI document that tests read. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly security?: unknown;
  readonly servers?: unknown;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly description: string;
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

/** The method and the route of an operation in the document. */
export interface Place {
  readonly method: string;
  readonly route: string;
}

// A response has Link only if there is a next page, a file name only if it is a file, quotas only if the service counts
// requests, and a read has a Consistency-Token only if it comes from the log.
const NOT_ALWAYS_THERE = ['Link', 'Content-Disposition', 'Idempotency-Replayed', 'Message-Withheld'];
const NOT_ALWAYS_THERE_IN_PROBLEMS = ['RateLimit-Policy', 'RateLimit'];
const notAlwaysIn = (method: string, status: number): readonly string[] => {
  if (status >= 400) return NOT_ALWAYS_THERE_IN_PROBLEMS;
  return method === 'get' ? [...NOT_ALWAYS_THERE, 'Consistency-Token'] : NOT_ALWAYS_THERE;
};

const PROBLEM = 'application/problem+json';
const NAMED = '#/components/schemas/';

/** Fetches the OpenAPI document of a service, with all references resolved except those to schemas. */
export const fetchOpenApi = async <D extends OpenApiDocument>(client: Client): Promise<D> =>
  withReferencesResolved((await client.get<D>('/openapi.json')).body);

/** Returns a document with all references resolved except those to schemas. */
export const withReferencesResolved = <D>(described: D): D => {
  const resolved = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    const { $ref: to } = value as { readonly $ref?: unknown };
    if (typeof to === 'string' && !to.startsWith(NAMED)) return resolved(found(described, to));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolved(member)]));
  };
  return resolved(described) as D;
};

/** Returns the target of a reference within a document. */
export const found = (document: unknown, to: string): unknown =>
  to
    .slice(2)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);

/** Returns a compiler of the document's schemas. It throws if a schema is not strictly valid JSON Schema (2020-12). */
export const compilerOf = ({ components }: OpenApiDocument) => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const within = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll(NAMED, 'schema:'));
  for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(within(schema), `schema:${name}`);
  return (schema: object): ValidateFunction => ajv.compile(within(schema));
};

export class Contract {
  readonly #described: OpenApiDocument;
  readonly #compile: (schema: object) => ValidateFunction;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(described: OpenApiDocument) {
    this.#described = described;
    this.#compile = compilerOf(described);
  }

  /** Returns how a response differs from the description of the operation. */
  faultsInResponse({ method, route }: Place, { status, headers, body }: ClientResponse): readonly string[] {
    const operation = this.#described.paths[route]?.[method];
    const response = operation?.responses[status];
    if (response === undefined) return [`${status} is not described`];
    const notAlways = notAlwaysIn(method, status);
    const missing = Object.keys(response.headers ?? {})
      .filter((name) => !notAlways.includes(name) && headers.get(name) === null)
      .map((name) => `the header ${name} is missing`);
    const type = headers.get('content-type')?.split(';')[0];
    if (type === undefined && response.content === undefined) return missing;
    const schema = response.content?.[`${type}`]?.schema;
    return schema === undefined
      ? [...missing, `${type} is not described`]
      : [
          ...missing,
          ...this.#faults(type === PROBLEM ? closed(schema) : schema, body),
          ...unlisted(operation, type, body),
        ];
  }

  /** Returns how a request body differs from the description of the operation. */
  faultsInBody({ method, route }: Place, body: unknown): readonly string[] {
    const schema = this.#described.paths[route]?.[method]?.requestBody?.content['application/json']?.schema;
    return schema === undefined ? ['no body is described'] : this.#faults(schema, body);
  }

  /** Returns how a value differs from a named schema. */
  faultsInSchema(name: string, value: unknown): readonly string[] {
    return this.#faults({ $ref: `${NAMED}${name}` }, value);
  }

  #faults(schema: object, value: unknown): readonly string[] {
    const key = JSON.stringify(schema);
    const validate = this.#validators.get(key) ?? this.#compile(schema);
    this.#validators.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}

/** Returns a fault if the description of the operation does not list the code of a problem. */
const unlisted = (operation: Operation | undefined, type: string | undefined, body: unknown): readonly string[] => {
  if (type !== PROBLEM) return [];
  const { status, code } = body as { readonly status: number; readonly code: string };
  const line = operation?.description.split('\n').find((each) => each.startsWith(`- ${status}: `)) ?? '';
  return line.includes(`\`${code}\``) ? [] : [`${code} is not listed`];
};

// Clients ignore members that they do not know, but every member must be described.
const closed = (schema: object) => ({ type: 'object', allOf: [schema], unevaluatedProperties: false });
