// A walk through every route of the service, with the bodies that its description shows as examples.
import { randomUUID } from 'node:crypto';
import type { ClientResponse } from '../support/client.js';
import type { OpenApiDocument, Operation } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { first, newEmail, successful } from './samples.js';

/** A request of the walk: `route` as the description names it, `path` with its ids filled in. */
export interface Step {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly route: string;
  readonly path: string;
  readonly body?: unknown;
}

export type Ids = Readonly<Record<string, string>>;
export type Take = (step: Step) => Promise<ClientResponse>;

/** Whether a route is one of administration: those of signing in and of the web client are none. */
const isOfAdministration = (route: string) => !/^\/(auth-service|api|\.well-known)\//.test(route);

/** Every operation of administration in a description. */
export const operationsOf = (described: OpenApiDocument) =>
  allOperationsOf(described).filter(({ route }) => isOfAdministration(route));

// Pages for operators, which are none of the routes.
const PROBES = ['/livez', '/readyz', '/metrics'];

/** Every operation of a route in a description. */
export const allOperationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths)
    .filter(([path]) => !PROBES.includes(path))
    .flatMap(([route, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ method: method as Step['method'], route, operation })),
    );

/**
 * The example body of a route's operation, its references to other things replaced by ids of what is there, and what
 * must be unique by something new.
 */
export const exampleOf = (route: string, { requestBody }: Operation, ids: Ids): unknown => {
  const example = requestBody?.content['application/json']?.example;
  if (typeof example !== 'object' || example === null) return example;
  const referring = Object.fromEntries(Object.entries(example).map(([key, value]) => [key, ids[key] ?? value]));
  return { ...referring, ...UNIQUE[route]?.(), ...orderOf(route, ids) };
};

/** The names of the lists of ids, by the route that reorders the items of the list. */
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

/** Fields that no two of a resource may share, by the route that is sent them. */
const UNIQUE: Readonly<Record<string, () => object>> = {
  '/specialties': newSpecialty,
  '/specialties/{id}': newSpecialty,
  '/users/doctor': () => ({ document: newDocument(), auth: { email: newEmail(), password: 'correct horse battery' } }),
  '/users/{id}': () => ({ document: newDocument(), email: newEmail() }),
};

/** What a route begins with, in the singular: `protocol`, `specialty`. */
const resourceOf = (route: string): string => `${route.split('/')[1]}`.replace(/ies$/, 'y').replace(/s$/, '');

/** The path of a route. `{id}` is that of what the route begins with. */
export const pathOf = (route: string, ids: Ids): string =>
  route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name === 'id' ? `${resourceOf(route)}Id` : name];
    if (id === undefined) throw new Error(`${route}: nothing was made whose id is ${name}`);
    return id;
  });

/** Which id the answer to a creation gives, by route. */
const MAKES: Readonly<Record<string, (body: never, before: Ids) => Ids>> = {
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

// What makes something goes before what needs it; the rest may come in any order, reads last. Who is erased is nobody
// afterwards, so that another one is made. The walk leaves the profile rejected, so that each of its operations can be
// done again.
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

/** The operations of a walk, in order. */
const routeOfWalk = (described: OpenApiDocument) => {
  const operations = new Map(operationsOf(described).map((each) => [`${each.method} ${each.route}`, each]));
  const named = (names: readonly string[]) => names.flatMap((name) => operations.get(name) ?? []);
  const others = named([...operations.keys()].filter((name) => !EARLY.includes(name)));
  const writes = others.filter(({ method }) => method !== 'get');
  const reads = others.filter(({ method }) => method === 'get');
  return [...named(EARLY), ...writes, ...named([REJECT]), ...reads];
};

/** Takes a step for every operation, in an order in which each succeeds; gives the ids of what was made. */
export const walk = (described: OpenApiDocument, take: Take): Promise<Ids> => taken(routeOfWalk(described), take);

/** As `walk`, by the writes alone. */
export const walkWrites = (described: OpenApiDocument, take: Take): Promise<Ids> =>
  taken(
    routeOfWalk(described).filter(({ method }) => method !== 'get'),
    take,
  );

/** What stands in the paths of the audit log, whose tree always has a first leaf. */
const TILE = { level: '0', tile: '000.p/1' };

const taken = async (operations: ReturnType<typeof routeOfWalk>, take: Take): Promise<Ids> => {
  let ids: Ids = TILE;
  for (const { method, route, operation } of operations) {
    const body = exampleOf(route, operation, ids);
    const step = { method, route, path: pathOf(route, ids), ...(body !== undefined && { body }) };
    const takeStep = async () => successful(await take(step));
    // A worker signs the log within seconds.
    const answer = await (route.startsWith('/audit/log/') ? eventually(takeStep) : takeStep());
    ids = { ...ids, ...MAKES[`${method} ${route}`]?.(answer.body as never, ids) };
  }
  return ids;
};
