// Which decisions on profiles send a message, to whom and when: read from the stream, just before the message is sent.
import { beforeEach, describe, expect, it } from 'vitest';
import { decisionJob, runDecisionJob } from '../../../src/auth/decisions/messages.js';
import type { Facts, RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import type { NewJob } from '../../../src/infrastructure/work/work.js';
import {
  approved,
  credentials,
  erased,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  person,
  profileAdded,
  registered,
  rejected,
  revisedTo,
  type UserEvent,
} from '../../domain/support/user-samples.js';
import { nth } from '../../support/items.js';
import { AGGREGATE_ID } from '../../support/specification.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22, 16);
const ADMINISTRATOR = 'administrator';
const idOf = (revision: number) => `event-${revision}`;
const returned: UserEvent = { type: 'UserProfileReturnedToAnalysis', data: { profileId: PROFILE_ID } };
const resubmitted: UserEvent = {
  type: 'UserProfileResubmitted',
  data: { profileId: PROFILE_ID, ...credentials, specialties: [] },
};
const explained: UserEvent = { type: 'UserProfileDecisionExplained', data: { profileId: PROFILE_ID, reason: 'Why.' } };

/** An event, the second at which it was recorded, its actor and its request. */
interface Step {
  readonly event: UserEvent;
  readonly second: number;
  readonly by?: string;
  readonly request?: string;
  /** The second of the clock, if it was behind the stream. */
  readonly clock?: number;
}

let log: RecordedEvent[];
let now: number;
let messages: Message[];
let enqueued: NewJob[];
let clearedOf: string[];
/** What happens while a message is being sent. */
let during: () => void;

const record = ({ event, second, by = ADMINISTRATOR, request, clock }: Step): void => {
  const revision = log.length;
  log.push({
    ...{ ...event, id: idOf(revision), stream: `user-${AGGREGATE_ID}`, revision, position: `${revision}` },
    metadata: {
      at: new Date(START + second * 1_000).toISOString(),
      ...(clock !== undefined && { clock: new Date(START + clock * 1_000).toISOString() }),
      actor: { id: by, roles: [] },
      correlationId: 'trace',
      causationId: request ?? `request-${revision}`,
      schemaVersion: 1,
    },
  });
};
const recordAll = (...steps: readonly Step[]) => {
  for (const step of steps) record(step);
};

beforeEach(() => {
  [log, messages, enqueued, clearedOf] = [[], [], [], []];
  during = () => {};
  recordAll({ event: registered, second: -900 }, { event: profileAdded(), second: -900 });
});

const signal = new AbortController().signal;
/** Runs the job of the decision whose first event has this revision, two minutes after it or at another second. */
const run = (revision: number, given: { readonly second?: number } = {}) => {
  const decidedAt = Date.parse(log[revision]?.metadata.at ?? new Date(START).toISOString());
  now = given.second === undefined ? decidedAt + 2 * MINUTE : START + given.second * 1_000;
  const facts: Pick<Facts, 'readStream'> = {
    async *readStream(_, { from = 0 } = {}) {
      yield* log.slice(from);
    },
  };
  const vault: Pick<Vault, 'remove'> = { remove: async () => false };
  const means = {
    ...{ facts: facts as Facts, vault: vault as Vault, now: () => now },
    work: { enqueue: async (job: NewJob) => void enqueued.push(job) },
    outbox: { removeTo: async (who: string) => void clearedOf.push(who) },
    notifier: {
      send: async (message: Message) => {
        during();
        messages.push(message);
      },
    },
  };
  const data = { userId: AGGREGATE_ID, decision: idOf(revision) };
  return runDecisionJob(means, decisionJob(idOf(revision), data, decidedAt), signal);
};
const subjects = () => messages.map(({ subject }) => subject.replace(/.* \/ /, ''));

describe('a decision', () => {
  it.each<[string, readonly UserEvent[], string]>([
    ['an approval', [approved], 'Your profile was approved'],
    ['a rejection', [rejected], 'Your profile was not approved'],
    ['a revoked approval', [approved, rejected], 'Your profile is no longer approved'],
    ['a reconsidered rejection', [rejected, approved], 'Your profile was approved'],
    ['a return to analysis', [approved, returned], 'Your profile is under review again'],
    ['a resubmission by somebody else', [rejected, resubmitted], 'Your profile is under review again'],
  ])('sends its message to the sign-in address: %s', async (_, events, subject) => {
    recordAll(...events.map((event, index) => ({ event, second: index * 1_000 })));
    await run(log.length - 1);
    expect(subjects()).toEqual([subject]);
    const id = idOf(log.length - 1);
    const writtenAt = Date.parse(nth(log, -1).metadata.at);
    expect(messages).toMatchObject([{ id, channel: 'EMAIL', person: AGGREGATE_ID, to: person.email, writtenAt }]);
    expect([enqueued, clearedOf]).toEqual([[], []]);
  });

  it('sends nothing to a contact address, which may be somebody else’s', async () => {
    recordAll({ event: revisedTo({ email: 'new@example.org' }), second: -1 }, { event: approved, second: 0 });
    await run(3);
    expect(messages.map(({ to }) => to)).toEqual([person.email]);
  });

  it('sends its message although somebody gives another reason afterwards', async () => {
    recordAll({ event: rejected, second: 0 }, { event: explained, second: 30 });
    await run(2);
    expect(subjects()).toEqual(['Your profile was not approved']);
  });

  it('sends the same message with the same id at each attempt', async () => {
    recordAll({ event: approved, second: 0 });
    await run(2);
    await run(2, { second: 9_000 });
    expect(messages[1]).toEqual(messages[0]);
  });

  it('that returns several profiles has a job for each of them, so that a retry of one repeats no other', async () => {
    const back = (profileId: string): UserEvent => ({ type: 'UserProfileReturnedToAnalysis', data: { profileId } });
    recordAll(
      { event: profileAdded(OTHER_PROFILE_ID, 'NURSE'), second: -800 },
      { event: approved, second: -700 },
      { event: { type: 'UserProfileApproved', data: { profileId: OTHER_PROFILE_ID, reason: null } }, second: -600 },
      { event: revisedTo({ firstName: 'Other' }), second: 0, request: 'revision', by: AGGREGATE_ID },
      { event: back(PROFILE_ID), second: 0, request: 'revision', by: AGGREGATE_ID },
      { event: back(OTHER_PROFILE_ID), second: 0, request: 'revision', by: AGGREGATE_ID },
    );
    await run(5);
    expect(messages).toEqual([]);
    expect(enqueued).toMatchObject([
      { id: idOf(6), runAt: START + 2 * MINUTE, data: { decision: idOf(6) } },
      { id: idOf(7), runAt: START + 2 * MINUTE, data: { decision: idOf(7) } },
    ]);
    for (const revision of [6, 7]) await run(revision);
    expect([messages.map(({ id }) => id), enqueued.length]).toEqual([[idOf(6), idOf(7)], 2]);
    expect(messages.map(({ text }) => /as an? ([a-z ]+?) at/.exec(text)?.[1])).toEqual([
      'general practitioner',
      'nurse',
    ]);
  });

  it('of another request gets no job from the revision before it', async () => {
    recordAll({ event: revisedTo({ firstName: 'Other' }), second: 0 }, { event: approved, second: 1 });
    await run(2);
    expect(enqueued).toEqual([]);
  });
});

describe('no message is sent', () => {
  const expectNone = async (revision: number, given = {}) => {
    await run(revision, given);
    expect(messages).toEqual([]);
    expect(enqueued).toEqual([]);
  };

  it('about another reason, the resubmission of the person, and what changed nothing', async () => {
    recordAll(
      { event: rejected, second: -600 },
      { event: explained, second: -300 },
      { event: resubmitted, second: 0, by: AGGREGATE_ID },
      { event: approved, second: 600 },
      { event: approved, second: 1_200 },
    );
    await expectNone(3);
    await expectNone(4);
    await expectNone(6);
  });

  it('if nothing was recorded', async () => {
    recordAll({ event: approved, second: 0 });
    await expectNone(7);
  });

  it('if the decision is no longer the last one, not even the resubmission of the person being an exception', async () => {
    recordAll({ event: rejected, second: 0 }, { event: resubmitted, second: 30, by: AGGREGATE_ID });
    await expectNone(2);
  });

  it('about a slip that was corrected within two minutes', async () => {
    recordAll({ event: rejected, second: 0 }, { event: approved, second: 60 }, { event: returned, second: 180 });
    await expectNone(2);
    await expectNone(3);
    await expectNone(4);
  });

  it('to a person who was erased, before or while the message is sent', async () => {
    recordAll({ event: approved, second: 0 });
    during = () => record({ event: erased, second: 121 });
    await run(2);
    expect([messages.length, clearedOf]).toEqual([1, [AGGREGATE_ID]]);
    messages = [];
    await expectNone(2);
  });
});

describe('decisions that follow each other', () => {
  it('send one message, about the last of ten in a minute', async () => {
    for (let n = 0; n < 10; n += 1) record({ event: n % 2 === 0 ? rejected : approved, second: 6 * n });
    for (let revision = 2; revision < log.length; revision += 1) await run(revision);
    expect(messages.map(({ id }) => id)).toEqual([idOf(11)]);
    expect(subjects()).toEqual(['Your profile was approved']);
  });

  it('are compared with the status before the first, whatever was in between', async () => {
    recordAll({ event: approved, second: 0 }, { event: rejected, second: 110 }, { event: returned, second: 220 });
    record({ event: rejected, second: 330 });
    await run(5);
    expect(subjects()).toEqual(['Your profile was not approved']);
  });

  it('correct nothing that the person did: a rejection soon after a resubmission sends its message', async () => {
    recordAll(
      { event: rejected, second: -800 },
      { event: resubmitted, second: 0, by: AGGREGATE_ID },
      { event: rejected, second: 90 },
    );
    await run(4);
    expect(subjects()).toEqual(['Your profile was not approved']);
  });

  it('are as far from each other as their clocks say, even if the clock of an earlier event was ahead', async () => {
    recordAll({ event: approved, second: 3_600 }, { event: rejected, second: 3_600, clock: 1_200 });
    await run(3, { second: 1_320 });
    expect(subjects()).toEqual(['Your profile is no longer approved']);
  });

  it('are one decision if they come at the same time', async () => {
    recordAll({ event: approved, second: 0 }, { event: rejected, second: 0 });
    await run(3);
    expect(subjects()).toEqual(['Your profile was not approved']);
  });

  it('each send a message if more than two minutes are between them', async () => {
    recordAll({ event: rejected, second: 0 }, { event: approved, second: 121 });
    await run(3);
    expect(subjects()).toEqual(['Your profile was approved']);
  });
});

describe('a job that starts less than two minutes after the decision', () => {
  it.each([10, 121])(
    'is put off until then, because its request took a while: the decision came at second %i',
    async (second) => {
      recordAll({ event: approved, second });
      await run(2, { second: 121 });
      expect(messages).toEqual([]);
      const runAt = START + second * 1_000 + 2 * MINUTE;
      expect(enqueued).toMatchObject([{ id: 'event-2-later', runAt, data: { decision: 'event-2' } }]);
    },
  );

  it('is put off until then, because a repeated request recorded it long after the first one had stored its message', async () => {
    recordAll({ event: approved, second: 90 });
    await run(2, { second: 120 });
    expect(messages).toEqual([]);
    expect(enqueued).toMatchObject([{ runAt: START + 210_000 }]);
  });

  it('is not put off for the hour by which a clock was wrong', async () => {
    recordAll({ event: approved, second: 3_600 });
    await run(2, { second: 120 });
    expect(subjects()).toEqual(['Your profile was approved']);
  });
});
