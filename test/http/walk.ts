// Calls every administration route of the service with the example bodies of its OpenAPI document.
import { randomUUID } from 'node:crypto';
import type { ClientResponse } from '../support/client.js';
import type { OpenApiDocument, Operation } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { first, newEmail, successful } from './samples.js';

/** A request of the walk: `route` is the path in the OpenAPI document, `path` has ids in place of its parameters. */
export interface Step {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly route: string;
  readonly path: string;
  readonly body?: unknown;
}

export type Ids = Readonly<Record<string, string>>;
export type Take = (step: Step) => Promise<ClientResponse>;

/** Returns false for the routes of sign-in and of the web client. */
const isAdministration = (route: string) =>
  !/^\/((auth-service|api|\.well-known)\/|(livez|readyz|metrics)$)/.test(route);

/** Returns every administration operation of an OpenAPI document. */
export const operationsOf = (described: OpenApiDocument) =>
  allOperationsOf(described).filter(({ route }) => isAdministration(route));

/** Returns every operation of an OpenAPI document. */
export const allOperationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([route, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method as Step['method'], route, operation })),
  );

/** Returns the example body of an operation, with ids of existing resources and new values for unique fields. */
export const exampleOf = (route: string, { requestBody }: Operation, ids: Ids): unknown => {
  const example = requestBody?.content['application/json']?.example;
  if (typeof example !== 'object' || example === null) return example;
  const referring = Object.fromEntries(Object.entries(example).map(([key, value]) => [key, ids[key] ?? value]));
  return { ...referring, ...UNIQUE[route]?.(), ...orderOf(route, ids) };
};

/** Maps each route that reorders a list to the name under which `Ids` holds the ids of its items. */
const LISTS: Readonly<Record<string, string>> = {
  '/protocols/{id}/forms/{formId}/questions/order': 'questionIds',
  '/protocols/{id}/questions/{questionId}/options/order': 'optionIds',
};

const orderOf = (route: string, ids: Ids) => {
  const list = ids[LISTS[route] ?? ''];
  return list === undefined ? {} : { ids: list.split(',').toReversed() };
};

const newSpecialty = () => ({ name: `Specialty ${randomUUID()}` });
const newDocument = () => `MG-${randomUUID()}`;

/** Maps routes to new values for the fields that must be unique. */
const UNIQUE: Readonly<Record<string, () => object>> = {
  '/specialties': newSpecialty,
  '/specialties/{id}': newSpecialty,
  '/users/doctor': () => ({ document: newDocument(), auth: { email: newEmail(), password: 'correct horse battery' } }),
  '/users/{id}': () => ({ document: newDocument(), email: newEmail() }),
};

/** Returns the first segment of a route in the singular: `protocol`, `specialty`. */
const resourceOf = (route: string): string => `${route.split('/')[1]}`.replace(/ies$/, 'y').replace(/s$/, '');

/** Returns the path of a route. `{id}` is the id of the resource that the first segment names. */
export const pathOf = (route: string, ids: Ids): string =>
  route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name === 'id' ? `${resourceOf(route)}Id` : name];
    if (id === undefined) throw new Error(`${route}: no earlier step created the resource of {${name}}`);
    return id;
  });

/** Maps each operation that creates something to the ids in its response. */
const CREATES: Readonly<Record<string, (body: never, before: Ids) => Ids>> = {
  'post /institutions': ({ id }: { id: string }) => ({ institutionId: id }),
  'post /institutions/{id}/unities': ({ id }: { id: string }) => ({ unityId: id }),
  'post /specialties': ({ id }: { id: string }) => ({ specialtyId: id }),
  'post /protocols': ({ id }: { id: string }) => ({ protocolId: id }),
  'post /protocols/questionnaires': (made: {
    protocol: { id: string };
    form: { id: string; questions: { id: string }[] };
  }) => ({
    protocolId: made.protocol.id,
    formId: made.form.id,
    questionId: first(made.form.questions).id,
  }),
  'put /protocols/{id}/questionnaire': (made: {
    form: { questions: { id: string; options: { id: string }[] }[] };
  }) => ({
    questionId: first(made.form.questions).id,
    questionIds: made.form.questions.map(({ id }) => id).join(),
    optionIds: first(made.form.questions)
      .options.map(({ id }) => id)
      .join(),
  }),
  'post /protocols/{id}/forms/{formId}/questions': ({ id }: { id: string }, { questionIds }) => ({
    questionIds: `${questionIds},${id}`,
  }),
  'post /users/doctor': (made: { id: string; profiles: { id: string }[] }) => ({
    userId: made.id,
    profileId: first(made.profiles).id,
  }),
  'post /protocols/{id}/questions/{questionId}/options': ({ id }: { id: string }, { optionIds }) => ({
    optionId: id,
    optionIds: `${optionIds},${id}`,
  }),
};

const DOCTOR = 'post /users/doctor';
const REJECT = 'patch /users/{id}/profiles/{profileId}/reject';

// An operation that creates something comes before those that need it. A second user follows the erasure of the first.
// The walk leaves the profile rejected, so that each operation of the profile can be repeated.
const EARLY = [
  'post /institutions',
  'post /institutions/{id}/unities',
  'post /specialties',
  'post /protocols',
  'post /protocols/questionnaires',
  'put /protocols/{id}/questionnaire',
  'post /protocols/{id}/questions/{questionId}/options',
  DOCTOR,
  'delete /users/{id}/personal-data',
  DOCTOR,
  REJECT,
  'post /users/{id}/profiles/{profileId}/resubmit',
];

/** Returns the operations of a walk in order, reads last. */
const orderedOperations = (described: OpenApiDocument) => {
  const operations = new Map(operationsOf(described).map((each) => [`${each.method} ${each.route}`, each]));
  const named = (names: readonly string[]) => names.flatMap((name) => operations.get(name) ?? []);
  const others = named([...operations.keys()].filter((name) => !EARLY.includes(name)));
  const writes = others.filter(({ method }) => method !== 'get');
  const reads = others.filter(({ method }) => method === 'get');
  return [...named(EARLY), ...writes, ...named([REJECT]), ...reads];
};

/** Takes a step for every operation, in an order in which each succeeds. Resolves to the ids of the new resources. */
export const walk = (described: OpenApiDocument, take: Take): Promise<Ids> =>
  takeSteps(orderedOperations(described), take);

/** Takes only the steps of `walk` that write. */
export const walkWrites = (described: OpenApiDocument, take: Take): Promise<Ids> =>
  takeSteps(
    orderedOperations(described).filter(({ method }) => method !== 'get'),
    take,
  );

/** The parameters of a tile that exists, because the tree of the audit log always has a first leaf. */
const TILE = { level: '0', tile: '000.p/1' };

const takeSteps = async (operations: ReturnType<typeof orderedOperations>, take: Take): Promise<Ids> => {
  let ids: Ids = TILE;
  for (const { method, route, operation } of operations) {
    const body = exampleOf(route, operation, ids);
    const step = { method, route, path: pathOf(route, ids), ...(body !== undefined && { body }) };
    const takeStep = async () => successful(await take(step));
    // A worker signs the log within seconds.
    const response = await (route.startsWith('/audit/log/') ? eventually(takeStep) : takeStep());
    ids = { ...ids, ...CREATES[`${method} ${route}`]?.(response.body as never, ids) };
  }
  return ids;
};
