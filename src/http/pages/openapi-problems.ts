// The problems in the OpenAPI document: a schema and an example for each code, and a response for each set of codes that
// a status of some operation has.
import { z } from 'zod';
import { errorLimits } from '../kernel/faults.js';
import { type NamedSchemas, reference } from '../kernel/json-schemas.js';
import type { Kind } from '../kernel/problem-kind.js';
import { type ProblemCode, problemKinds } from '../kernel/problem-kinds.js';
import { Problem, problemDocument } from '../kernel/problems.js';

type Json = Readonly<Record<string, unknown>>;

const A_REQUEST = '018f4c3e-7a12-7d03-9100-2b3c4d5e6f70';

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

  /** The responses by name. */
  get responses(): Json {
    return Object.fromEntries(this.#responses);
  }

  /** The examples by the codes of the problems. */
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

/** Returns the problem document of an occurrence, made as the service makes it. */
const exampleOf = (code: ProblemCode): unknown => {
  const { errors = [], example = {} } = kindOf(code);
  return JSON.parse(problemDocument(new Problem(code, { errors, extensions: example }), A_REQUEST));
};

/** The headers that every response with one of these problems has. */
const headersOf = (codes: readonly ProblemCode[]): readonly string[] => {
  const [status] = codes.map((code) => kindOf(code).status);
  if (status === 401) return ['WWW-Authenticate'];
  return status === 429 ? ['Retry-After', 'RateLimit-Policy', 'RateLimit'] : [];
};

const listOfErrors = {
  errors: {
    type: 'array',
    description: 'Everything that is wrong with the request, one item for each place.',
    maxItems: errorLimits.errors,
    items: reference('RequestError'),
  },
  errorsTruncated: {
    const: true,
    description: `More is wrong than \`errors\` says: the list ends at ${errorLimits.errors} items, or at 64 KiB.`,
  },
};

const shared: Readonly<Record<string, Json>> = {
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457). More members may be added to a problem later.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    properties: {
      type: { type: 'string', format: 'uri' },
      title: { type: 'string', description: 'What is wrong.' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What to do next.' },
      instance: { type: 'string', description: 'The id of the request, as in X-Request-Id and in the log.' },
      code: { type: 'string', description: 'The kind of the problem. Programs should decide by this member.' },
    },
  },
  RequestError: {
    type: 'object',
    description: 'One thing that is wrong with a request: either `pointer` or `parameter` says where.',
    required: ['code', 'message'],
    properties: {
      pointer: {
        type: 'string',
        maxLength: errorLimits.pointer,
        description: 'A JSON pointer into the body (RFC 6901). A longer one is cut and ends with an ellipsis (…).',
      },
      parameter: { type: 'string', description: 'The name of a path, query or header parameter.' },
      code: { type: 'string', description: 'The kind of the error, for example `required` or `too-big`.' },
      message: { type: 'string', description: 'What is wrong, in English.' },
    },
  },
};
