// What the service answers of every resource of a history, by its own routes.

import { createSecretKey, randomBytes } from 'node:crypto';
import { appOf } from '../../src/http/kernel/app.js';
import type { Call, Route } from '../../src/http/kernel/route.js';
import { routesOf } from '../../src/http/routes.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { Progress } from '../../src/projections/progress.js';
import { serviceOf } from '../../src/service.js';
import { temporaryDirectory } from '../support/directory.js';
import { formsOf, type Historian } from './history.js';

/** What a resource is answered with, under its address. */
export interface Answered {
  readonly address: string;
  readonly json: string;
  readonly revision: number | undefined;
}

/** Reads every protocol, form, institution, specialty, user and profile; nothing of it was written by the reader. */
export const answersOf = async (from: { facts: Facts; views: Views; history: Historian }): Promise<Answered[]> => {
  const { history } = from;
  const parts = {
    ...from,
    sealedFacts: from.facts,
    vault: new SqliteVault(temporaryDirectory()),
    progress: new Progress(from.views),
    serviceKey: async () => createSecretKey(randomBytes(32)),
    outbox: { removeTo: async () => {} },
    personKeys: async () => new Map(),
    eraseSecrets: async () => 0,
    noteErasure: async () => undefined,
  };
  const routes = routesOf(appOf(serviceOf(parts)));
  const read = (path: string, params: object, query: object = {}) => answered(routeOf(routes, path), params, query);
  const answers: Promise<Answered>[] = [];
  for (const [id, state] of history.protocols) {
    answers.push(read('/protocols/{id}', { id }), read('/protocols/{id}/questionnaire', { id }));
    for (const { id: formId, version } of formsOf(state)) {
      answers.push(read('/protocols/{id}/forms/{formId}', { id, formId }));
      answers.push(read('/protocols/{id}/questionnaire', { id }, { version }));
    }
  }
  for (const id of history.institutions.keys()) answers.push(read('/institutions/{id}', { id }));
  for (const id of history.specialties.keys()) answers.push(read('/specialties/{id}', { id }));
  for (const [id, state] of history.users) {
    const profiles = state.status === 'unknown' ? [] : state.fields.profiles;
    const answersOfProfiles = profiles.map((profile) =>
      read('/users/{id}/profiles/{profileId}', { id, profileId: profile.id }),
    );
    answers.push(read('/users/{id}', { id }), ...answersOfProfiles);
  }
  return Promise.all(answers);
};

const routeOf = (routes: readonly Route[], path: string): Route => {
  const route = routes.find((each) => each.method === 'get' && each.path === path);
  if (route === undefined) throw new Error(`no route reads ${path}`);
  return route;
};

const answered = async ({ path, handle }: Route, params: object, query: object): Promise<Answered> => {
  const asked = { asOf: undefined, consistency: undefined };
  const call = { params, query, body: undefined, readOptions: asked, seesAll: true } satisfies Omit<
    Call<object, undefined, object>,
    'by' | 'bearer' | 'client'
  >;
  const { json, revision } = await handle(call as never);
  return { address: `${path} ${JSON.stringify({ ...params, ...query })}`, json, revision };
};
