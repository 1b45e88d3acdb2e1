// The OpenAPI document is consistent in itself: OpenAPI 3.1 with schemas in JSON Schema 2020-12.
import { beforeAll, describe, expect, it } from 'vitest';
import { FieldErrorCode } from '../../src/domain/errors.js';
import { CONTRACT_VERSION } from '../../src/infrastructure/version.js';
import type { OpenApiDocument, Operation } from '../support/contract.js';
import { Contract, compilerOf, found, withReferencesResolved } from '../support/contract.js';
import { sharedService } from '../support/service-of-file.js';
import { allOperationsOf } from './support/routes.js';

const server = sharedService();
const PROBLEM = 'application/problem+json';
const NAMES: Readonly<Record<string, number>> = {
  ...{
    BadRequest: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Gone: 410,
  },
  ...{ PreconditionFailed: 412, PayloadTooLarge: 413, UnsupportedMediaType: 415, MisdirectedRequest: 421 },
  ...{ UnprocessableContent: 422, TooManyRequests: 429, InternalServerError: 500, ServiceUnavailable: 503 },
};
const STATUSES = Object.fromEntries(Object.entries(NAMES).map(([name, status]) => [status, name]));

interface Schema {
  readonly enum?: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}
interface ProblemContent {
  readonly schema: { readonly properties: { readonly status: { readonly const: number } } };
  readonly example?: unknown;
}
interface Document extends OpenApiDocument {
  readonly components: OpenApiDocument['components'] & {
    readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, ProblemContent>> }>>;
  };
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}
/** The document as the service sends it. */
let raw: Document;
/** The document with its references resolved. */
let document: Document;
let operations: readonly { readonly method: string; readonly route: string; readonly operation: Operation }[];
beforeAll(async () => {
  raw = (await server.get<Document>('/openapi.json')).body;
  document = withReferencesResolved(raw);
  operations = allOperationsOf(document);
});

interface Found {
  readonly at: string;
  readonly value: Readonly<Record<string, unknown>>;
}
/** Returns every object in a value, with its place. */
const objectsIn = (value: unknown, at = ''): readonly Found[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, member]) => objectsIn(member, `${at}/${key}`));
  return Array.isArray(value) ? inner : [{ at, value: value as Found['value'] }, ...inner];
};
const schemasOf = ({ parameters, requestBody, responses }: Operation) => [
  ...parameters.map(({ schema }) => schema),
  ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  ...Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}).map(({ schema }) => schema)),
];

const PROBLEM_HEADERS = {
  'content-type': 'application/problem+json',
  'www-authenticate': 'Bearer',
  'retry-after': '1',
};

/** Returns the examples of the responses of an operation to requests that failed. */
const examplesOf = ({ method, route, operation }: (typeof operations)[number]) =>
  Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { example, schema }]) => {
      const shown = example ?? (schema as { readonly examples?: readonly unknown[] }).examples?.[0];
      return shown === undefined || Number(status) < 400
        ? []
        : [{ place: { method, route }, status: Number(status), type, example: shown }];
    }),
  );

const schemaInPath = (name: string) =>
  ['level', 'tile'].includes(name) ? { pattern: expect.any(String) } : { format: 'uuid' };

const LIMITS_OF_TEXTS = ['maxLength', 'enum', 'const', 'format', 'pattern'];
/** Returns whether a schema of texts, lists or open objects limits their length. True for all other schemas. */
const isLimited = (schema: Found['value']) =>
  (schema['type'] !== 'string' || LIMITS_OF_TEXTS.some((keyword) => keyword in schema)) &&
  (schema['type'] !== 'array' || 'maxItems' in schema) &&
  (!('additionalProperties' in schema) || 'maxProperties' in schema);

describe('/openapi.json', () => {
  it('has its title, its servers and the version of the contract', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    const license = { name: 'All rights reserved; ask the owner' };
    expect(document.info).toMatchObject({ title: expect.any(String), version: CONTRACT_VERSION, license });
    expect(document.info).toMatchObject({ description: expect.stringMatching(/^\*\*No token is needed\*\*/) });
    expect(document.servers.map(({ url }) => url)).toEqual(['/', '/admin-service']);
  });

  it('has the target of every reference', () => {
    const references = objectsIn(raw).flatMap(({ at, value }) =>
      typeof value['$ref'] === 'string' ? [{ at, reference: value['$ref'] }] : [],
    );
    expect(references).not.toEqual([]);
    for (const { at, reference } of references) {
      expect([at, reference]).toEqual([at, expect.stringMatching(/^#\//)]);
      expect([at, found(raw, reference)]).toEqual([at, expect.any(Object)]);
    }
  });

  it('refers to every schema that it has', () => {
    const text = JSON.stringify(document);
    for (const name of Object.keys(document.components.schemas)) {
      expect(text).toContain(`"#/components/schemas/${name}"`);
    }
  });

  it('has only schemas that a strict validator accepts', () => {
    const compile = compilerOf(document);
    const inline = operations.flatMap(({ operation }) => schemasOf(operation));
    for (const schema of [...Object.values(document.components.schemas), ...inline]) {
      expect(() => compile(schema)).not.toThrow();
    }
  });

  it('describes exactly the parameters of each path, each once', () => {
    for (const { route, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      const named = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([route, inPath.map(({ name }) => name)]).toEqual([route, named]);
      for (const parameter of inPath) {
        expect(parameter).toMatchObject({ required: true, schema: schemaInPath(parameter.name) });
      }
      const all = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it('describes every response, of which one is a success, or two if everything may be attached already', () => {
    for (const { route, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      const isAttachment = /^\/institutions\/.*\/users$/.test(route);
      const successes = isAttachment ? ['200', '201'] : [expect.any(String)];
      expect([route, statuses.filter((status) => /^2|^301$/.test(status))]).toEqual([route, successes]);
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
    }
  });

  it('requires only parameters and bodies without which a request is refused', () => {
    const required = operations.flatMap(({ method, route, operation }) =>
      operation.parameters
        .filter((each) => each.in === 'query' && each.required)
        .map(({ name }) => [method, route, name]),
    );
    expect(required).toEqual([['get', '/auth-service/activation-code', 'ownerRef']]);
    const optional = operations.filter(({ operation }) => operation.requestBody?.required === false);
    expect(optional.map(({ method, route }) => `${method} ${route}`)).toEqual([
      'post /protocols/{id}/forms/versions',
      'post /protocols/{id}/forms/{formId}/publish',
      'post /protocols/{id}/forms/{formId}/retire',
      'post /protocols/{id}/archive',
      'post /protocols/{id}/restore',
      'delete /users/{id}/personal-data',
      'patch /users/{id}/profiles/{profileId}/approve',
      'patch /users/{id}/profiles/{profileId}/reject',
      'post /users/{id}/profiles/{profileId}/resubmit',
      'post /auth-service/signup-model',
    ]);
  });

  it('offers a past time where the service can show it', () => {
    const offering = operations.filter(({ operation }) => operation.parameters.some(({ name }) => name === 'asOf'));
    expect(offering.map(({ route }) => route)).toEqual(
      expect.arrayContaining(['/protocols/{id}', '/institutions/{id}', '/users/{id}', '/profiles']),
    );
    expect(offering.map(({ route }) => route)).not.toContain('/users');
  });

  it('describes 413 for every operation with a body', () => {
    for (const { method, route, operation } of operations) {
      const has = [operation.requestBody !== undefined, operation.responses[413] !== undefined];
      expect([method, route, ...has]).toEqual([method, route, has[0], has[0]]);
    }
  });

  it('lists If-Match only with 412, and If-None-Match and 304 only for reads with an ETag', () => {
    for (const { method, route, operation } of operations) {
      const takes = (name: string) => operation.parameters.some((parameter) => parameter.name === name);
      const { 200: success, 304: notModified, 412: mismatch } = operation.responses;
      expect([method, route, takes('If-Match')]).toEqual([method, route, mismatch !== undefined]);
      const isReadWithTag = method === 'get' && success?.headers?.['ETag'] !== undefined;
      expect([method, route, takes('If-None-Match'), notModified !== undefined]).toEqual([
        method,
        route,
        isReadWithTag,
        isReadWithTag,
      ]);
    }
  });

  it('names each operation in different words, and names the schema of every body', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema !== undefined)
        expect(schema).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) });
    }
  });

  it('describes every tag', () => {
    const { tags } = document;
    const used = Object.values(document.paths).flatMap((at) => Object.values(at).flatMap((each) => each.tags));
    expect(tags.map(({ name }) => name).toSorted()).toEqual([...new Set(used)].toSorted());
    for (const { description } of tags) expect(description).not.toBe('');
  });

  it('has an example for every response with problems, and the schema of each response accepts its example', () => {
    const contract = new Contract(document);
    const examples = operations.flatMap(examplesOf);
    const withProblems = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).filter(({ content = {} }) => 'application/problem+json' in content),
    );
    expect(examples.filter(({ type }) => type === 'application/problem+json')).toHaveLength(withProblems.length);
    expect(examples).toContainEqual(
      expect.objectContaining({ place: { method: 'get', route: '/readyz' }, status: 503 }),
    );
    for (const { place, status, type, example } of examples) {
      const headers = new Headers({ ...PROBLEM_HEADERS, 'content-type': type });
      const faults = contract.faultsInResponse(place, { status, headers, body: example });
      // All operations share the example of a status, also those that do not list its code.
      const others = faults.filter((fault) => !fault.endsWith(' is not listed'));
      expect([place, status, others]).toEqual([place, status, []]);
    }
  });

  it('has one response with problems for each status, which is named after the status', () => {
    const problems = Object.entries(raw.components.responses).filter(([name]) => name !== 'NotModified');
    const names = problems.map(([name, { content }]) => [name, content?.[PROBLEM]?.schema.properties.status.const]);
    expect(Object.fromEntries(names)).toEqual(NAMES);
    for (const { operation } of allOperationsOf(raw)) {
      for (const [status, response] of Object.entries(operation.responses).filter(
        ([status, { content = {} }]) => status in STATUSES && !('application/json' in content),
      ))
        expect(response).toEqual({ $ref: `#/components/responses/${STATUSES[status]}` });
    }
  });

  it('describes limit and cursor of every list', () => {
    const paging = operations.flatMap(({ route, operation }) =>
      operation.parameters.filter(({ name }) => ['limit', 'cursor'].includes(name)).map((each) => ({ route, ...each })),
    );
    expect(paging).not.toEqual([]);
    for (const parameter of paging) expect(parameter).toMatchObject({ description: expect.stringMatching(/./) });
  });

  it('lists the codes of the problems of each operation in its description, by status', () => {
    for (const { method, route, operation } of operations) {
      const listed = [...operation.description.matchAll(/^- (\d{3}): (`[\w-]+`(, )?)+$/gm)].map(([, status]) => status);
      const described = Object.entries(operation.responses)
        .filter(([, { content = {} }]) => PROBLEM in content)
        .map(([status]) => status);
      expect([method, route, listed]).toEqual([method, route, described]);
    }
    const decide = document.paths['/users/{id}/profiles/{profileId}/approve']?.['patch']?.description;
    expect(decide).toMatch(/^- 400: `malformed-request`, `fields-refused`, `malformed-json`$/m);
    expect(decide).toMatch(/^- 403: .*`own-profile`/m);
  });

  it('shows a refusal with its errors as the example of 400', () =>
    expect(raw.components.responses['BadRequest']?.content?.[PROBLEM]?.example).toMatchObject({
      code: 'fields-refused',
      errors: [{ pointer: '/name', code: 'required', message: 'is required' }],
    }));

  it('enumerates the codes of faults, and names the persons of a decision', () => {
    const { schemas } = raw.components as unknown as { readonly schemas: Readonly<Record<string, Schema>> };
    expect(schemas['FieldErrorCode']?.enum).toEqual(FieldErrorCode.options);
    for (const name of ['RequestError', 'DocumentFault', 'TriedSignUpError'])
      expect([name, schemas[name]?.properties['code']]).toEqual([
        name,
        { $ref: '#/components/schemas/FieldErrorCode' },
      ]);
    const { user, decidedBy } = schemas['ListedDecision']?.properties ?? {};
    expect([user, decidedBy]).toEqual([
      { $ref: '#/components/schemas/DecisionUser' },
      { $ref: '#/components/schemas/DecisionActor' },
    ]);
  });

  it.each([
    ['ListedForm', 'protocol', 'ListedFormProtocol'],
    ['AuditEvent', 'metadata', 'AuditEventMetadata'],
    ['ProfileHistoryStep', 'actor', 'ProfileHistoryActor'],
    ['ProfileEvidence', 'subject', 'EvidenceSubject'],
    ['ListedUserProfile', 'user', 'ListedProfileUser'],
  ])('has a name for generated clients: %s.%s', (schema, member, name) => {
    const { schemas } = raw.components as unknown as { readonly schemas: Readonly<Record<string, Schema>> };
    expect(JSON.stringify(schemas[schema]?.properties[member])).toContain(`"#/components/schemas/${name}"`);
  });

  it('is smaller than 300 KB', () => {
    expect(JSON.stringify(raw).length).toBeLessThan(300_000);
  });

  it('limits the length of every text and every list in requests', () => {
    for (const { method, route, operation } of operations) {
      // If-None-Match is not stored, so only the limit on all headers applies to it.
      const parameters = operation.parameters.filter(({ name }) => name !== 'If-None-Match');
      const sent = [...parameters, operation.requestBody?.content['application/json']?.schema];
      for (const { at, value } of objectsIn(sent, `${method} ${route}`))
        expect([at, isLimited(value)]).toEqual([at, true]);
    }
  });
});
