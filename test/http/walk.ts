// A walk through every route of the service, with the bodies that its description shows as examples.
import { randomUUID } from 'node:crypto';
import type { Answer } from '../support/client.js';
import type { Described, Operation } from '../support/contract.js';
import { first, successful } from './samples.js';

/** A request of the walk: `route` as the description names it, `path` with its ids filled in. */
export interface Step {
  readonly method: 'get' | 'post' | 'put' | 'patch';
  readonly route: string;
  readonly path: string;
  readonly body?: unknown;
}

export type Ids = Readonly<Record<string, string>>;
export type Take = (step: Step) => Promise<Answer>;

/** Whether a route is one of administration: those of signing in and of the web client are none. */
const isOfAdministration = (route: string) => !/^\/(auth-service|api|\.well-known)\//.test(route);

/** Every operation of administration in a description. */
export const operationsOf = (described: Described) =>
  allOperationsOf(described).filter(({ route }) => isOfAdministration(route));

/** Every operation of a description. */
export const allOperationsOf = ({ paths }: Described) =>
  Object.entries(paths).flatMap(([route, operations]) =>
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
  return { ...referring, ...UNIQUE[resourceOf(route)]?.() };
};

/** Fields that no two of a resource may share. */
const UNIQUE: Readonly<Record<string, () => object>> = {
  specialty: () => ({ name: `Specialty ${randomUUID()}` }),
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
const MAKES: Readonly<Record<string, (body: never) => Ids>> = {
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
  'put /protocols/{id}/questionnaire': (made: { form: { questions: { id: string }[] } }) => ({
    questionId: first(made.form.questions).id,
  }),
  'post /users/doctor': (made: { id: string; profiles: { id: string }[] }) => ({
    userId: made.id,
    profileId: first(made.profiles).id,
  }),
  'post /protocols/{id}/questions/{questionId}/options': ({ id }: { id: string }) => ({ optionId: id }),
};

const REJECT = 'patch /users/{id}/profiles/{profileId}/reject';

// What makes something goes before what needs it; the rest may come in any order, reads last. The walk leaves the
// profile rejected, so that each of its operations can be done again.
const EARLY = [
  'post /institutions',
  'post /institutions/{id}/unities',
  'post /specialties',
  'post /protocols',
  'post /protocols/questionnaires',
  'put /protocols/{id}/questionnaire',
  'post /protocols/{id}/questions/{questionId}/options',
  'post /users/doctor',
  REJECT,
  'post /users/{id}/profiles/{profileId}/resubmit',
];
const rank = (method: string, route: string) => {
  const early = EARLY.indexOf(`${method} ${route}`);
  if (early >= 0) return early;
  return method === 'get' ? EARLY.length + 1 : EARLY.length;
};

/** The operations of a walk, in order. */
const routeOfWalk = (described: Described) => {
  const operations = operationsOf(described).toSorted((a, b) => rank(a.method, a.route) - rank(b.method, b.route));
  const writes = operations.filter(({ method }) => method !== 'get');
  const again = writes.filter(({ method, route }) => `${method} ${route}` === REJECT);
  return [...writes, ...again, ...operations.filter(({ method }) => method === 'get')];
};

/** Takes a step for every operation, in an order in which each succeeds; gives the ids of what was made. */
export const walk = async (described: Described, take: Take): Promise<Ids> => {
  let ids: Ids = {};
  for (const { method, route, operation } of routeOfWalk(described)) {
    const body = exampleOf(route, operation, ids);
    const step = { method, route, path: pathOf(route, ids), ...(body !== undefined && { body }) };
    const answer = successful(await take(step));
    ids = { ...ids, ...MAKES[`${method} ${route}`]?.(answer.body as never) };
  }
  return ids;
};
