// The problems in the OpenAPI document: a schema and an example for each code, and a response for each set of codes
// that share a status in an operation.
import { z } from 'zod';
import type { Kind } from '../problems/problem-kind.js';
import { type ProblemCode, problemKinds } from '../problems/problem-kinds.js';
import { Problem, problemDocument } from '../problems/problems.js';
import { errorLimits } from '../problems/request-errors.js';
import { type NamedSchemas, reference } from '../request/json-schemas.js';

type Json = Readonly<Record<string, unknown>>;

const REQUEST_ID = '018f4c3e-7a12-7d03-9100-2b3c4d5e6f70';

/** Returns a code as a name: `FormTooLarge`. */
const nameOf = (code: string): string =>
  code.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());

const kindOf = (code: ProblemCode): Kind => problemKinds[code];

/** Collects the problems that operations refer to. */
export class Problems {
  readonly #schemas: NamedSchemas;
  readonly #responses = new Map<string, Json>();
  readonly #examples = new Map<string, Json>();

  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas;
    for (const [name, schema] of Object.entries(shared)) schemas.add(name, schema);
  }

  /** All responses by name. */
  get responses(): Json {
    return Object.fromEntries(this.#responses);
  }

  /** All examples by problem code. */
  get examples(): Json {
    return Object.fromEntries(this.#examples);
  }

  /** Returns the responses of an operation with these problems, by status. */
  responsesOf(codes: readonly ProblemCode[]): Json {
    const statuses = [...new Set(codes.map((code) => kindOf(code).status))];
    return Object.fromEntries(
      statuses.map((status) => [status, this.#response(codes.filter((code) => kindOf(code).status === status))]),
    );
  }

  #response(codes: readonly ProblemCode[]): Json {
    const name = codes.map(nameOf).join('Or');
    if (!this.#responses.has(name)) this.#responses.set(name, this.#described(codes));
    return { $ref: `#/components/responses/${name}` };
  }

  #described(codes: readonly ProblemCode[]): Json {
    const schemas = codes.map((code) => this.#schemaOf(code));
    for (const code of codes) this.#examples.set(code, { summary: kindOf(code).title, value: exampleOf(code) });
    const headers = headersOf(codes);
    return {
      description: codes.map((code) => `${kindOf(code).title}.`).join(' '),
      ...(headers.length > 0 && {
        headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
      }),
      content: {
        'application/problem+json': {
          schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    };
  }

  #schemaOf(code: ProblemCode): Json {
    const { status, members = {}, errors } = kindOf(code);
    const name = `${nameOf(code)}Problem`;
    const { properties, required = [] } = this.#schemas.shown(z.object(members), 'output') as {
      readonly properties: Json;
      readonly required?: readonly string[];
    };
    this.#schemas.add(name, {
      type: 'object',
      allOf: [reference('Problem')],
      required: ['status', 'code', ...required],
      properties: {
        status: { const: status },
        code: { const: code },
        ...properties,
        ...(errors !== undefined && listOfErrors),
      },
    });
    return reference(name);
  }
}

/** Returns a problem document with this code, as the service would send it. */
const exampleOf = (code: ProblemCode): unknown => {
  const { errors = [], example = {} } = kindOf(code);
  return JSON.parse(problemDocument(new Problem(code, { errors, extensions: example }), REQUEST_ID));
};

/** Returns the headers of every response with one of these problems. */
const headersOf = (codes: readonly ProblemCode[]): readonly string[] => {
  const [status] = codes.map((code) => kindOf(code).status);
  if (status === 401) return ['WWW-Authenticate'];
  return status === 429 ? ['Retry-After', 'RateLimit-Policy', 'RateLimit'] : [];
};

const listOfErrors = {
  errors: {
    type: 'array',
    description: 'All faults of the request, one item for each place.',
    maxItems: errorLimits.errors,
    items: reference('RequestError'),
  },
  errorsTruncated: {
    const: true,
    description: `The request has more faults than \`errors\` lists. The list ends at ${errorLimits.errors} items or 64 KiB.`,
  },
};

const shared: Readonly<Record<string, Json>> = {
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457). Future versions may add members to a problem.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    properties: {
      type: { type: 'string', format: 'uri' },
      title: { type: 'string', description: 'What is wrong.' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What to do next.' },
      instance: { type: 'string', description: 'The id of the request, which is also in X-Request-Id and in the log.' },
      code: {
        type: 'string',
        description: 'The stable code of the problem. Clients should use this member to distinguish problems.',
      },
    },
  },
  RequestError: {
    type: 'object',
    description: 'A fault of the request. Either `pointer` or `parameter` is its place.',
    required: ['code', 'message'],
    properties: {
      pointer: {
        type: 'string',
        maxLength: errorLimits.pointer,
        description:
          'A JSON pointer into the body (RFC 6901). A pointer above the maximum length is truncated and ends with an ellipsis (…).',
      },
      parameter: { type: 'string', description: 'The name of a path, query or header parameter.' },
      code: { type: 'string', description: 'The stable code of the fault, for example `required` or `too-big`.' },
      message: { type: 'string', description: 'The fault in English.' },
    },
  },
};
