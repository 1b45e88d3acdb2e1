// Checks the log after a crash at any moment.
import { expect } from 'vitest';
import type { Opaque } from '../../src/http/kernel/opaque.js';
import type { SentQuestionnaire } from '../http/samples.js';
import type { Asked, Kind } from './load.js';
import type { Engines, Logged } from './sets.js';

/** Expects every stream to number its events from 0, in the order of the log. */
export const expectConsecutive = (events: readonly Logged[]): void => {
  for (const stream of streamsOf(events).values()) {
    expect(stream.map(({ revision }) => revision)).toEqual(stream.map((_, index) => index));
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
};

/** Expects every acknowledged event at the revision of its ETag and at the position that its Consistency-Token seals. */
export const expectAcknowledged = (events: readonly Logged[], journal: readonly Asked[], opaque: Opaque): void => {
  const places = new Map(events.map((event) => [opaque.seal('consistency-token', event.position), event]));
  for (const { token, answer, path } of journal) {
    if (answer === undefined) continue;
    const event = places.get(answer.headers.get('consistency-token') ?? '');
    // An approval names its user in its path. Every other response names what it created in Location.
    const [, where, id] = (answer.headers.get('location') ?? path).split('/');
    expect({ token, path, stream: event?.stream, tag: `"${event?.revision}"` }).toEqual({
      token,
      path,
      stream: `${where?.replace(/s$/, '')}-${id}`,
      tag: answer.headers.get('etag'),
    });
  }
};

/** Expects a request to be recorded once if it was acknowledged, and at most once if it was not. */
export const expectOnce = (events: readonly Logged[], journal: readonly Asked[]): void => {
  const times = new Map<unknown, number>();
  for (const event of events) times.set(tokenOf(event), (times.get(tokenOf(event)) ?? 0) + 1);
  const wrong = journal.filter(({ kind, token, answer }) => {
    const found = times.get(token) ?? 0;
    return WITH_TOKEN.has(kind) && found !== 1 && (answer !== undefined || found !== 0);
  });
  expect(wrong).toEqual([]);
  const asked = new Set(journal.map(({ token }) => token));
  const created = events.filter(({ type }) => type === 'ProtocolCreated' || type === 'ProtocolQuestionAdded');
  expect(created.filter((event) => !asked.has(String(tokenOf(event))))).toEqual([]);
};

/** The kinds of requests whose token is recorded in plain text. */
const WITH_TOKEN: ReadonlySet<Kind> = new Set(['protocol', 'questionnaire', 'question']);

/**
 * Expects every acknowledged form version, each with an id of its own, and at most one more for each request without a
 * known outcome.
 */
export const expectVersions = (events: readonly Logged[], journal: readonly Asked[]): void => {
  const versions = journal.filter(({ kind }) => kind === 'form version');
  const answered = versions.flatMap(({ answer }) => answer?.body.id ?? []);
  const made = events.filter(({ type, revision }) => type === 'ProtocolFormVersionCreated' && revision > 1);
  expect(made.map(({ data }) => data['formId'])).toEqual(expect.arrayContaining(answered));
  expect(new Set(answered).size).toBe(answered.length);
  expect(made.length).toBeGreaterThanOrEqual(answered.length);
  expect(made.length).toBeLessThanOrEqual(versions.length);
  for (const stream of streamsOf(events).values()) {
    const numbers = stream
      .filter(({ type }) => type === 'ProtocolFormVersionCreated')
      .map(({ data }) => data['version']);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  }
};

/** Expects the form right after a protocol that was sent with its questionnaire, with every question and option. */
export const expectWhole = (events: readonly Logged[], journal: readonly Asked[]): void => {
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

/** Makes all checks above. */
export const expectSound = async (engines: Engines, journal: readonly Asked[]): Promise<void> => {
  const events = engines.logged();
  expectConsecutive(events);
  expectAcknowledged(events, journal, await engines.opaque());
  expectOnce(events, journal);
  expectVersions(events, journal);
  expectWhole(events, journal);
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
