// Reads every resource of a history through the routes of the service.

import { createSecretKey, randomBytes } from 'node:crypto';
import { routeContextOf } from '../../../src/http/route/context.js';
import type { Call, Route } from '../../../src/http/route/route.js';
import { routesOf } from '../../../src/http/routes.js';
import type { Facts } from '../../../src/infrastructure/facts/facts.js';
import { OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import type { Views } from '../../../src/infrastructure/views/views.js';
import { Progress } from '../../../src/projections/progress.js';
import { serviceOf } from '../../../src/service.js';
import { someone } from '../../commands/support/walker.js';
import { formsOf } from '../../domain/support/machines.js';
import { temporaryDirectory } from '../../support/directory.js';
import type { Historian } from './history.js';

/** Holds the response for a resource, with its address. */
export interface ResourceResponse {
  readonly address: string;
  readonly json: string;
  readonly revision: number | undefined;
}

/** Reads every protocol, form, institution, specialty, user and profile, in a process that wrote none of them. */
export const responsesOf = async (from: {
  facts: Facts;
  views: Views;
  history: Historian;
}): Promise<ResourceResponse[]> => {
  const { history } = from;
  const parts = {
    ...from,
    sealedFacts: from.facts,
    vault: new SqliteVault(temporaryDirectory()),
    progress: new Progress(from.views),
    serviceKey: async () => createSecretKey(randomBytes(32)),
    outbox: new OutboxNotifier(temporaryDirectory()),
    personKeys: async () => new Map(),
    eraseSecrets: async () => 0,
    noteErasure: async () => undefined,
  };
  const routes = routesOf(routeContextOf(serviceOf(parts), { isReasonRequired: false }));
  const read = (path: string, params: object, query: object = {}) => responseOf(routeOf(routes, path), params, query);
  const responses: Promise<ResourceResponse>[] = [];
  for (const [id, state] of history.protocols) {
    responses.push(read('/protocols/{id}', { id }), read('/protocols/{id}/questionnaire', { id }));
    for (const { id: formId, version } of formsOf(state)) {
      responses.push(read('/protocols/{id}/forms/{formId}', { id, formId }));
      responses.push(read('/protocols/{id}/questionnaire', { id }, { version }));
    }
  }
  for (const id of history.institutions.keys()) responses.push(read('/institutions/{id}', { id }));
  for (const id of history.specialties.keys()) responses.push(read('/specialties/{id}', { id }));
  for (const [id, state] of history.users) {
    const profiles = state.status === 'unknown' ? [] : state.fields.profiles;
    const responsesOfProfiles = profiles.map((profile) =>
      read('/users/{id}/profiles/{profileId}', { id, profileId: profile.id }),
    );
    responses.push(read('/users/{id}', { id }), ...responsesOfProfiles);
  }
  return Promise.all(responses);
};

const routeOf = (routes: readonly Route[], path: string): Route => {
  const route = routes.find((each) => each.method === 'get' && each.path === path);
  if (route === undefined) throw new Error(`no route reads ${path}`);
  return route;
};

const responseOf = async ({ path, handle }: Route, params: object, query: object): Promise<ResourceResponse> => {
  const readOptions = { asOf: undefined, consistency: undefined, list: () => '', walker: someone() };
  const call = { params, query, body: undefined, readOptions, caller: '', seesAll: true } satisfies Omit<
    Call<object, undefined, object>,
    'by' | 'bearer' | 'client' | 'countSignIn' | 'gone'
  >;
  const { body, revision } = await handle(call as never);
  return { address: `${path} ${JSON.stringify({ ...params, ...query })}`, json: String(body), revision };
};
