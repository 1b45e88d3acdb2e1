// Checks the log and its users after a crash at any moment.
import { expect } from 'vitest';
import { Streams } from '../../../src/commands/streams.js';
import type { UserFields } from '../../../src/domain/user/state.js';
import { user } from '../../../src/domain/user/user.js';
import { Opaque } from '../../../src/http/route/opaque.js';
import type { SentQuestionnaire } from '../../http/support/samples.js';
import type { JournalEntry, Kind, Load } from './load.js';
import { type Engines, expectReadModelsAsFresh, type Logged, loggedIn, withStores } from './sets.js';

type Journal = readonly JournalEntry[];

/** Expects every acknowledged write in the log exactly once and complete, and every other write at most once. */
export const expectSound = (engines: Engines, journal: Journal): Promise<void> =>
  withStores(engines, async ({ sealedFacts, facts, serviceKey }) => {
    const events = await loggedIn({ sealedFacts });
    expectConsecutive(events);
    expectAcknowledged(events, journal, new Opaque(await serviceKey('opaque')));
    expectOnce(events, journal);
    expectVersions(events, journal);
    expectWhole(events, journal);
    expectUsersSound(await usersIn(events, new Streams(facts)), journal);
  });

/** Ends the load, and expects every request to be settled in a sound log and in the read models. */
export const expectNothingLost = async (engines: Engines, load: Load): Promise<void> => {
  await load.halt();
  await load.settle();
  await expectSound(engines, load.journal);
  await expectReadModelsAsFresh(engines);
};

/** Expects every stream to number its events from 0, in the order of the log. */
const expectConsecutive = (events: readonly Logged[]): void => {
  for (const stream of streamsOf(events).values()) {
    expect(stream.map(({ revision }) => revision)).toEqual(stream.map((_, index) => index));
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
};

/**
 * Expects every acknowledged event at the revision of its ETag and at the position that its Consistency-Token seals.
 */
const expectAcknowledged = (events: readonly Logged[], journal: Journal, opaque: Opaque): void => {
  const places = new Map(events.map((event) => [opaque.seal('consistency-token', event.position), event]));
  for (const { token, response, path } of journal) {
    if (response === undefined) continue;
    const event = places.get(response.headers.get('consistency-token') ?? '');
    // An approval names its user in its path. Every other response names what it created in Location.
    const [, where, id] = (response.headers.get('location') ?? path).split('/');
    expect({ token, path, stream: event?.stream, tag: `"${event?.revision}"` }).toEqual({
      token,
      path,
      stream: `${where?.replace(/s$/, '')}-${id}`,
      tag: response.headers.get('etag'),
    });
  }
};

/** Expects a request to be recorded once if it was acknowledged, and at most once if it was not. */
const expectOnce = (events: readonly Logged[], journal: Journal): void => {
  const times = new Map<unknown, number>();
  for (const event of events) times.set(tokenOf(event), (times.get(tokenOf(event)) ?? 0) + 1);
  const wrong = journal.filter(({ kind, token, response }) => {
    const found = times.get(token) ?? 0;
    return WITH_TOKEN.has(kind) && found !== 1 && (response !== undefined || found !== 0);
  });
  expect(wrong).toEqual([]);
  const sent = new Set(journal.map(({ token }) => token));
  const created = events.filter(({ type }) => type === 'ProtocolCreated' || type === 'ProtocolQuestionAdded');
  expect(created.filter((event) => !sent.has(String(tokenOf(event))))).toEqual([]);
};

/** The kinds of requests whose token is recorded in plain text. */
const WITH_TOKEN: ReadonlySet<Kind> = new Set(['protocol', 'questionnaire', 'question']);

/**
 * Expects every acknowledged form version, each with an id of its own, and at most one more for each request without a
 * known outcome.
 */
const expectVersions = (events: readonly Logged[], journal: Journal): void => {
  const versions = journal.filter(({ kind }) => kind === 'form version');
  const acknowledged = versions.flatMap(({ response }) => response?.body.id ?? []);
  const made = events.filter(({ type, revision }) => type === 'ProtocolFormVersionCreated' && revision > 1);
  expect(made.map(({ data }) => data['formId'])).toEqual(expect.arrayContaining(acknowledged));
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(made.length).toBeGreaterThanOrEqual(acknowledged.length);
  expect(made.length).toBeLessThanOrEqual(versions.length);
  for (const stream of streamsOf(events).values()) {
    const numbers = stream
      .filter(({ type }) => type === 'ProtocolFormVersionCreated')
      .map(({ data }) => data['version']);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  }
};

/** Expects the form right after a protocol that was sent with its questionnaire, with every question and option. */
const expectWhole = (events: readonly Logged[], journal: Journal): void => {
  const sent = new Map(journal.filter(({ kind }) => kind === 'questionnaire').map(({ token, json }) => [token, json]));
  for (const [first, second] of streamsOf(events).values()) {
    const questionnaire = sent.get(String(first?.data['name'])) as SentQuestionnaire | undefined;
    if (questionnaire === undefined) continue;
    const questions = questionnaire.questions.map(({ questionText, options = [] }) => ({
      questionText,
      options: options.map(({ optionText }) => ({ optionText })),
    }));
    expect(second).toMatchObject({ type: 'ProtocolFormVersionCreated', data: { version: 1, questions } });
    expect(second?.data['scoreRanges']).toHaveLength(questionnaire.scoreRanges.length);
  }
};

/**
 * Expects every acknowledged user to exist once, complete and with the id of the response. A user whose registration
 * has no known outcome exists at most once. No two users have the same e-mail, and every acknowledged approval is
 * recorded.
 */
const expectUsersSound = (users: readonly UserFields[], journal: Journal): void => {
  const emails = users.map(({ email }) => email);
  expect(new Set(emails).size).toBe(emails.length);
  const registrations = journal.filter(({ kind }) => kind === 'doctor');
  expect(registrations.map(({ token }) => token)).toEqual(expect.arrayContaining(emails));
  expect(users.filter(({ profiles }) => profiles.length !== 1)).toEqual([]);
  const ids = new Map(users.map(({ email, id }) => [email, id]));
  for (const { token, response } of registrations) {
    if (response !== undefined) expect({ token, id: ids.get(token) }).toEqual({ token, id: response.body.id });
  }
  const profiles = users.flatMap((each) => each.profiles);
  const statuses = new Map(profiles.map(({ id, approvalStatus }) => [id, approvalStatus]));
  for (const { kind, path, response } of journal) {
    if (kind !== 'approval' || response === undefined) continue;
    expect({ path, status: statuses.get(response.body.id) }).toEqual({ path, status: 'APPROVED' });
  }
};

/** Returns every user of the log, folded from its stream. */
const usersIn = async (events: readonly Logged[], streams: Streams): Promise<readonly UserFields[]> => {
  const names = new Set(events.map(({ stream }) => stream));
  const ids = [...names].filter((name) => name.startsWith('user-')).map((name) => name.slice('user-'.length));
  const states = await Promise.all(ids.map((id) => streams.load(user, id)));
  return states.flatMap(({ state }) => (state.status === 'unknown' ? [] : [state.fields]));
};

const streamsOf = (events: readonly Logged[]): ReadonlyMap<string, readonly Logged[]> => {
  const streams = new Map<string, Logged[]>();
  for (const event of events) {
    const known = streams.get(event.stream);
    if (known === undefined) streams.set(event.stream, [event]);
    else known.push(event);
  }
  return streams;
};

const tokenOf = ({ type, data }: Logged): unknown =>
  type === 'ProtocolQuestionAdded' ? (data['question'] as { questionText: string }).questionText : data['name'];
