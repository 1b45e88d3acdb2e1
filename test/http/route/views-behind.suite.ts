// What a GET with a Consistency-Token responds with while its views are behind, or stopped, whatever the engine of the
// views. The token names the end of the log. No worker folds the last events.

import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '../../../src/http/problems/problems.js';
import { routeContextOf } from '../../../src/http/route/context.js';
import type { ReadOptions, RouteResult } from '../../../src/http/route/route.js';
import { routesOf } from '../../../src/http/routes.js';
import type { NewEvent } from '../../../src/infrastructure/facts/facts.js';
import type { OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import type { Views } from '../../../src/infrastructure/views/views.js';
import { allProjections } from '../../../src/projections/all.js';
import { Progress } from '../../../src/projections/progress.js';
import { serviceOf } from '../../../src/service.js';
import { contextOf } from '../../commands/support/process.js';
import { someone } from '../../commands/support/walker.js';
import { created, FORM_ID, formWith, INSTITUTION_ID, published, range } from '../../domain/support/protocol-samples.js';
import { approved, PROFILE_ID, profileAdded, registered, revisedTo } from '../../domain/support/user-samples.js';
import { metadata, written } from '../../infrastructure/facts/support/harness.js';
import { startRunner } from '../../projections/support/replay.js';
import { MemoryFacts } from '../../support/memory-facts.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { uuidOf } from '../../support/specification.js';

const [USER, PROTOCOL, SPECIALTY] = [uuidOf(1), uuidOf(2), uuidOf(3)];
/** The ids of the resources, by the first segment of their paths. */
const IDS: Readonly<Record<string, string>> = {
  users: USER,
  protocols: PROTOCOL,
  specialties: SPECIALTY,
  institutions: INSTITUTION_ID,
};
const BEYOND = '9'.repeat(16);

const contact = { document: null, email: null, phone: null, address: null };
const attached = { type: 'UserAttachedToInstitution', data: { institutionId: INSTITUTION_ID, name: 'Old' } };
const specialtyNamed = (name: string) => ({ name, description: null, enabled: true });

/** The streams that every view has folded, and the events that no view has folded. */
const FOLDED = {
  [`institution-${INSTITUTION_ID}`]: [{ type: 'InstitutionCreated', data: { name: 'Old', ...contact } }],
  [`user-${USER}`]: [registered, profileAdded(), approved, attached],
  [`specialty-${SPECIALTY}`]: [{ type: 'SpecialtyCreated', data: specialtyNamed('Old') }],
  [`protocol-${PROTOCOL}`]: [created, formWith([]), published],
};
const LATER = {
  [`institution-${INSTITUTION_ID}`]: [{ type: 'InstitutionRevised', data: { name: 'New', ...contact } }],
  [`user-${USER}`]: [
    revisedTo({ firstName: 'New' }),
    { type: 'UserProfileRejected', data: { profileId: PROFILE_ID, reason: 'New' } },
  ],
  [`specialty-${SPECIALTY}`]: [{ type: 'SpecialtyRevised', data: specialtyNamed('New') }],
  [`protocol-${PROTOCOL}`]: [
    { type: 'ProtocolRevised', data: { name: 'New', prompt: null } },
    { type: 'ProtocolFormRetired', data: { formId: FORM_ID, reason: 'New' } },
    formWith([], { formId: uuidOf(4), version: 2, scoreRanges: [range(1, 0, 1)] }),
  ],
};

const [FORM, PROFILE] = [`/protocols/{id}/forms/{formId}`, '/users/{id}/profiles/{profileId}'];
const name = (of: string) => ({ name: of });
const byNew = {
  items: expect.arrayContaining([expect.objectContaining({ actor: expect.objectContaining({ name: 'New Souza' }) })]),
};

/** The single resources and the histories, and a part of the response that only the last events explain. */
const SINGLE: readonly [path: string, expected: object][] = [
  ['/institutions/{id}', name('New')],
  ['/specialties/{id}', name('New')],
  ['/users/{id}', { firstName: 'New', institutions: [name('New')] }],
  [PROFILE, { approvalStatus: 'REJECTED' }],
  ['/protocols/{id}', name('New')],
  ['/protocols/{id}/questionnaire', { protocol: name('New') }],
  [FORM, { status: 'RETIRED' }],
  [`${FORM}/analysis`, { formId: FORM_ID }],
];
const HISTORIES: typeof SINGLE = [
  ['/users/{id}/history', byNew],
  ['/institutions/{id}/history', byNew],
  ['/protocols/{id}/history', byNew],
  [`${PROFILE}/history`, byNew],
];
/** Returns the reads of other resources. */
const without = <R extends readonly [path: string, ...more: unknown[]]>(but: string, reads: readonly R[]) =>
  reads.filter(([path]) => but === '' || !path.startsWith(but));

const DECISIONS = '/audit/decisions';
const LISTS: readonly [path: string, query?: object][] = [
  ...['/institutions', '/specialties', '/users', '/profiles', '/protocols', '/forms', DECISIONS].map(
    (path) => [path] as [string],
  ),
  ['/institutions/{id}/unities'],
  ['/protocols/{id}/forms'],
];

/** Declares the tests. `newStore` returns a function that opens a new store as a process does. */
export const viewsBehindSuite = (newStore: () => () => Views): void => {
  const facts = new MemoryFacts();
  let views: Views;
  let routes: ReturnType<typeof routesOf>;
  let head: string;

  const eventOf = ({ type, data }: { type: string; data: unknown }): NewEvent => ({
    ...{ id: randomUUID(), type, data },
    metadata: { ...metadata, actor: { id: USER, roles: [] } },
  });
  const append = async (streams: Readonly<Record<string, readonly { type: string; data: unknown }[]>>) => {
    for (const [stream, events] of Object.entries(streams)) {
      let expected = -1;
      for await (const { revision } of facts.readStream(stream)) expected = revision;
      head = written(await facts.append(stream, expected < 0 ? 'no-stream' : expected, events.map(eventOf))).position;
    }
  };
  const folded = async (projections = allProjections) => {
    const runner = startRunner(facts, views, projections);
    for (const each of projections) expect(await runner.progress.reached(each.name, head, 45_000)).toBe(true);
    await runner.close();
  };
  /** Stops all views but one before an event, as a worker of another process does, or lets them go on. */
  const setStopped = async (running: string, position: string | undefined) => {
    const stopped = position === undefined ? undefined : { position, reason: 'it cannot be folded' };
    const others = (await views.checkpoints()).filter(({ projection }) => projection !== running);
    for (const each of others) await views.setStopped(each, stopped);
  };
  /** Opens a process that has written nothing. */
  const open = () => {
    const parts = { facts, views, vault: new MemoryVault(), serviceKey: async () => createSecretKey(randomBytes(32)) };
    const others = { sealedFacts: facts, outbox: {} as OutboxNotifier, personKeys: async () => new Map() };
    const erasing = { eraseSecrets: async () => 0, noteErasure: async () => undefined };
    const service = serviceOf({ ...parts, ...others, ...erasing, progress: new Progress(views, facts) });
    return routesOf(routeContextOf(service, { isReasonRequired: false }));
  };
  beforeAll(async () => {
    views = newStore()();
    for (const projection of allProjections) await views.prepare(projection);
    await append(FOLDED);
    await folded();
    await append(LATER);
    routes = open();
  });
  afterAll(() => views.close());

  const read = async (path: string, { query = {}, seesAll = true, ...more }: Asked = {}): Promise<RouteResult> => {
    const route = routes.find((each) => each.method === 'get' && each.path === path);
    const readOptions: ReadOptions = { asOf: undefined, consistency: head, list: () => '', walker: someone(), ...more };
    const ids = { id: IDS[path.split('/')[1] ?? ''], profileId: PROFILE_ID, formId: FORM_ID };
    const call = {
      params: ids,
      query: { limit: 50, sort: 'createdAt', ...query },
      readOptions,
      by: contextOf(),
      caller: '',
      seesAll,
    };
    if (route === undefined) throw new Error(`no route reads ${path}`);
    return route.handle(call as never);
  };
  const refusalOf = (path: string, asked?: Asked) =>
    read(path, asked).then(
      () => 'none',
      ({ code, extensions }: Problem) => ({ code, ...extensions }),
    );
  const allFolded = (but = '') =>
    Promise.all(
      without(but, [...SINGLE, ...HISTORIES]).map(async ([path, expected]) => {
        const { body, revision } = await read(path);
        expect(JSON.parse(String(body)), path).toMatchObject(expected);
        return { path, revision, body };
      }),
    );
  const expectBehind = async ([path, query = {}]: (typeof LISTS)[number]) => {
    const lag = { seconds: expect.any(Number) };
    expect(await refusalOf(path, { query })).toEqual({ code: 'view-behind', projection: expect.any(String), lag });
  };

  it('a single resource and a history are folded from the log while every view is behind', async () => {
    await allFolded();
  });

  it('a list is refused while its view is behind, with the seconds of its lag', async () => {
    await Promise.all(LISTS.map(expectBehind));
  });

  it('a token beyond the end of the log is refused at once, whatever is read', async () => {
    const waiting = refusalOf('/institutions').then(() => 'a view that is behind');
    const refused = [...SINGLE, ...HISTORIES, ...LISTS].flatMap(([path]) =>
      [{}, { seesAll: false }, ...(path.includes('{') ? [{ asOf: new Date().toISOString() }] : [])].map(
        async (more) => {
          expect(await refusalOf(path, { consistency: BEYOND, ...more }), path).toMatchObject({
            code: 'fields-refused',
          });
        },
      ),
    );
    expect(await Promise.race([waiting, Promise.all(refused).then(() => 'the token')])).toBe('the token');
    await waiting;
  });

  it('nobody waits for a view that is stopped', async () => {
    await setStopped('specialties', head);
    const waiting = refusalOf('/specialties').then(() => 'a view that is behind');
    const others = [allFolded('/specialties'), ...without('/specialties', LISTS).map(expectBehind)];
    expect(await Promise.race([waiting, Promise.all(others).then(() => 'the others')])).toBe('the others');
    await waiting;
    await setStopped('specialties', undefined);
  });

  /** Folds the views but for some. */
  const foldedBut = (...names: readonly string[]) => folded(allProjections.filter(({ name }) => !names.includes(name)));

  it('a user is folded, and a list of users refused, while the view of the names of institutions is behind', async () => {
    await foldedBut('institutions');
    const [{ body }] = await Promise.all([read('/users/{id}'), expectBehind(['/users'])]);
    expect(JSON.parse(String(body))).toMatchObject({ firstName: 'New', institutions: [name('New')] });
    expect(await refusalOf('/profiles')).toBe('none');
  });

  it('the same is read from the views once they have caught up, with the same ETag', async () => {
    const before = await allFolded();
    await folded();
    routes = open();
    expect(await allFolded()).toEqual(before);
    for (const [path, query = {}] of LISTS) expect(await refusalOf(path, { query })).toBe('none');
  });

  it('a user has the last known names of an institution whose stream has an event that cannot be folded', async () => {
    await append({ [`institution-${INSTITUTION_ID}`]: [{ type: 'UnityAdded', data: null }] });
    await setStopped('', head);
    expect(JSON.parse(String((await read('/users/{id}')).body))).toMatchObject({ institutions: [name('Old')] });
    await setStopped('', undefined);
  });

  it('a history has the last known name of an actor whose stream has an event that cannot be folded', async () => {
    await append({ [`user-${USER}`]: [{ type: 'UserProfileAdded', data: {} }] });
    await setStopped('', head);
    for (const path of ['/protocols/{id}/history', '/users/{id}/history']) {
      expect(JSON.parse(String((await read(path)).body)), path).toMatchObject(byNew);
    }
    await setStopped('', undefined);
  });
};

interface Asked extends Partial<ReadOptions> {
  readonly query?: object;
  readonly seesAll?: boolean;
}
