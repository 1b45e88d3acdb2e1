// Calls of every administration route: resources that all of them can refer to, and the example bodies of the OpenAPI
// document. A new route needs a hint only if its path has a parameter that no other route has (`newResources`).
import { randomUUID } from 'node:crypto';
import type { Client } from '../../support/client.js';
import type { OpenApiDocument, Operation } from '../../support/contract.js';
import { first } from '../../support/items.js';
import {
  createDoctor,
  createInstitution,
  createQuestionnaire,
  createSpecialty,
  type Form,
  newEmail,
  select,
  successful,
} from './samples.js';

/** The values of the parameters of paths. `{id}` is the id of the resource that the first segment of a path names. */
export type Ids = Readonly<Record<string, string>>;

/** An operation of the OpenAPI document. */
export interface Place {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly route: string;
  readonly operation: Operation;
}

/** A request. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly json?: unknown;
}

/** Returns every operation of an OpenAPI document. */
export const allOperationsOf = ({ paths }: OpenApiDocument): readonly Place[] =>
  Object.entries(paths).flatMap(([route, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method as Place['method'], route, operation })),
  );

/** Returns every operation that is not of sign-in, of the web client or for operators. */
export const operationsOf = (described: OpenApiDocument): readonly Place[] =>
  allOperationsOf(described).filter(
    ({ route }) => !/^\/((auth-service|api|\.well-known)\/|(livez|readyz|metrics)$)/.test(route),
  );

/** The parameters of a tile that exists, because the tree of the audit log always has a first leaf. */
const TILE = { level: '0', tile: '000.p/1' };

/**
 * Creates one resource of each kind. The profile is rejected, and the protocol has a published form beside the draft, so
 * that each of their operations succeeds.
 */
export const newResources = async (client: Client): Promise<Ids> => {
  const specialty = await createSpecialty(client, { name: `Specialty ${randomUUID()}` });
  const institution = await createInstitution(client, { unities: [{ name: 'Ward' }] });
  const { protocol, form } = await createQuestionnaire(client, institution.id, { questions: [select(1, 2)] });
  const { body: other } = successful(await client.post<Form>(`/protocols/${protocol.id}/forms/versions`));
  successful(await client.post(`/protocols/${protocol.id}/forms/${other.id}/publish`));
  const user = await createDoctor(client);
  const profileId = first(user.profiles).id;
  successful(await client.patch(`/users/${user.id}/profiles/${profileId}/reject`, {}));
  return {
    ...TILE,
    specialtyId: specialty.id,
    institutionId: institution.id,
    unityId: first(institution.unities).id,
    protocolId: protocol.id,
    formId: form.id,
    fromFormId: form.id,
    questionId: first(form.questions).id,
    optionId: first(first(form.questions).options).id,
    questionIds: form.questions.map(({ id }) => id).join(),
    optionIds: first(form.questions)
      .options.map(({ id }) => id)
      .join(),
    userId: user.id,
    profileId,
  };
};

/** Returns the path of a route. */
export const pathOf = (route: string, ids: Ids): string =>
  route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name === 'id' ? `${resourceOf(route)}Id` : name];
    if (id === undefined) throw new Error(`${route}: newResources creates nothing for {${name}}`);
    return id;
  });

/** Returns the first segment of a route in the singular: `protocol`, `specialty`. */
export const resourceOf = (route: string): string => `${route.split('/')[1]}`.replace(/ies$/, 'y').replace(/s$/, '');

// Fields that must be unique in some resource.
const UNIQUE: Readonly<Record<string, () => string>> = {
  name: () => `Name ${randomUUID()}`,
  document: () => `MG-${randomUUID()}`,
  email: newEmail,
};

/** Returns the example body of an operation, with the ids of existing resources and new values for unique fields. */
export const exampleOf = ({ route, operation }: Omit<Place, 'method'>, ids: Ids): unknown => {
  const example = operation.requestBody?.content['application/json']?.example;
  if (typeof example !== 'object' || example === null) return example;
  const [, items] = /(question|option)s\/order$/.exec(route) ?? [];
  return JSON.parse(JSON.stringify(example), (key: string, value: unknown) => {
    // The pointer of an item that the body itself contains.
    if (String(value).startsWith('/')) return value;
    if (key === 'optionIds') return [ids['optionId']];
    if (key === 'ids') return ids[`${items}Ids`]?.split(',').toReversed();
    return ids[key] ?? UNIQUE[key]?.() ?? value;
  });
};

/** Returns a request of an operation that succeeds. */
export const callOf = (place: Place, ids: Ids): Call => ({
  method: place.method.toUpperCase(),
  path: pathOf(place.route, ids),
  json: exampleOf(place, ids),
});
