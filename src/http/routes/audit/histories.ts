// The histories of users, institutions and protocols: what happened to each, when, by whom and why.
import { z } from 'zod';
import { historyPage } from '../../../audit/history.js';
import { ProfileStep, withActorNames } from '../../../audit/profile-history.js';
import type { Walker } from '../../../commands/walks.js';
import { DomainError } from '../../../domain/errors.js';
import { institution } from '../../../domain/institution.js';
import { protocol } from '../../../domain/protocol/decide.js';
import { protocolEvents } from '../../../domain/protocol/schemas.js';
import { user } from '../../../domain/user/user.js';
import type { RecordedEvent } from '../../../infrastructure/facts/facts.js';
import { streamName } from '../../../infrastructure/stream-name.js';
import { overseers, selfOrOverseers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { cursorAt, nextCursor, pageResult, pages } from '../../route/paging.js';
import { type Call, get, type Route } from '../../route/route.js';
import { actorNamesFor, recordReading } from './readings.js';

const { revision, type, at, clock, actor, reason } = ProfileStep.shape;

const HistoryStep = z
  .object({
    revision,
    type,
    at,
    clock,
    actor: actor.pick({ id: true }).extend({
      name: z
        .string()
        .nullable()
        .describe('The current name. Null if the actor is not a user or was erased, and for users who read their own.'),
    }),
    reason: reason.describe('The reason that the event records. Null if it has none, and if its person was erased.'),
    undecided: protocolEvents.ProtocolFormPublished.shape.undecided,
  })
  .meta({ id: 'HistoryStep' });

export const HistoryPage = z.object({ items: z.array(HistoryStep), nextCursor }).meta({ id: 'HistoryPage' });

const Query = z.object({ ...pages, cursor: cursorAt(/^\d{1,15}$/) });

const aggregates = { user, institution, protocol };
type Subject = keyof typeof aggregates;
type HistoryCall = Omit<Call<{ readonly id: string }, undefined, z.output<typeof Query>>, 'client'>;

export const historyRoutes = (app: RouteContext): readonly Route[] => [
  get('/users/{id}/history', {
    access: { who: selfOrOverseers, personal: true },
    name: 'getUserHistory',
    summary: 'Reads the history of a user: every event with its time, actor and reason, oldest first',
    ...ofSubject(app, 'user'),
  }),
  get('/institutions/{id}/history', {
    access: { who: overseers, personal: true },
    name: 'getInstitutionHistory',
    summary: 'Reads the history of an institution: every event with its time, actor and reason, oldest first',
    ...ofSubject(app, 'institution'),
  }),
  get('/protocols/{id}/history', {
    access: { who: overseers, personal: true },
    name: 'getProtocolHistory',
    summary: 'Reads the history of a protocol: every event with its time, actor and reason, oldest first',
    ...ofSubject(app, 'protocol'),
  }),
];

const ofSubject = (app: RouteContext, subject: Subject) => ({
  description:
    'The history says what happened, and `asOf` of the resource shows its content after an event. The request is recorded in the audit trail.',
  query: Query,
  responses: { 200: HistoryPage },
  kind: 'recordedHistory' as const,
  refuses: [`${subject}-not-found` as const],
  handle: async (call: HistoryCall) => {
    const { params, query, readOptions, by } = call;
    const readNames = await actorNamesFor(app, call);
    const from = query.cursor === undefined ? 0 : Number(query.cursor);
    const page = await historyPage(stepsFrom(app, { subject, id: params.id, from }, readOptions.walker), query.limit);
    if (from === 0 && page.items.length === 0) throw new DomainError(`${subject}-not-found`, {});
    await recordReading(app, { what: 'history', filter: { [subject]: params.id } }, by);
    const nextCursor = await app.reader.cursorOf(page.next?.toString(), readOptions);
    const items = readNames ? await withActorNames(readNames, page.items) : page.items.map(withoutName);
    return pageResult({ items: JSON.stringify(items), nextCursor });
  },
});

async function* stepsFrom({ walks, facts }: RouteContext, { subject, id, from }: Steps, walker: Walker) {
  const events = walks.of(facts, walker).readStream(streamName(subject, id), { from });
  for await (const event of events) yield stepOf(event, subject);
}

interface Steps {
  readonly subject: Subject;
  readonly id: string;
  readonly from: number;
}

// The payload stays out: it has personal data of others, and the values of a type that this version does not know.
const stepOf = ({ revision, type, data, metadata: { at, clock, actor } }: RecordedEvent, subject: Subject) => {
  const isKnown = Object.hasOwn(aggregates[subject].events, type);
  const { reason, undecided } = (isKnown ? data : {}) as { readonly reason?: unknown; readonly undecided?: unknown };
  return {
    ...{ revision, type, at, clock: clock ?? null, actor: { id: actor.id } },
    reason: typeof reason === 'string' ? reason : null,
    ...(undecided === true && { undecided }),
  };
};

const withoutName = (step: ReturnType<typeof stepOf>) => ({ ...step, actor: { ...step.actor, name: null } });
