// Profiles and their approval: endpoints 13 and 14 of the contract, and what stands beside them.
import { z } from 'zod';
import { specialtiesNamed, specialtyNamed } from '../commands/references.js';
import { user } from '../domain/user.js';
import { profileTypes } from '../domain/user-events.js';
import { approvalStatuses, profileOf, type UserFields, type User as UserState, userOf } from '../domain/user-state.js';
import { users } from '../projections/users.js';
import type { Resource } from './reading.js';
import { type Call, get, patch, post, type Route } from './route.js';
import { pageOf, paging } from './schemas.js';
import { type Service, written } from './service.js';
import { decision, profile, resubmission } from './user-examples.js';
import { Decision, ResubmittedProfile, SentProfile, UserProfile } from './user-schemas.js';

/** The routes of profiles. */
export const profileRoutes = (service: Service): readonly Route[] => [...writes(service), ...reads(service)];

const ofDecisions = {
  body: Decision,
  example: decision,
  answers: { 200: UserProfile },
  problems: [403, 410],
} as const;

const writes = (service: Service): readonly Route[] => [
  patch('/users/{id}/profiles/{profileId}/approve', {
    summary: 'Approves a profile',
    description: 'From ANALYSING, or from REJECTED (reconsidered). Approving the approved records nothing.',
    ...ofDecisions,
    handle: (call) => decide(service, 'ApproveProfile', call),
  }),
  patch('/users/{id}/profiles/{profileId}/reject', {
    summary: 'Rejects a profile',
    description: 'From ANALYSING, or from APPROVED (revoked). Rejecting the rejected records nothing.',
    ...ofDecisions,
    handle: (call) => decide(service, 'RejectProfile', call),
  }),
  post('/users/{id}/profiles', {
    summary: 'Adds a profile to a user',
    description: 'It is ANALYSING.',
    body: SentProfile,
    example: profile,
    answers: { 201: UserProfile },
    problems: [410],
    handle: async ({ params: { id }, body, by }) => {
      const specialties = await specialtyIds(service, body.specialties);
      const outcome = await service.handle(user, id, { type: 'AddProfile', data: { ...body, specialties } }, by);
      const recorded = outcome.events[0] as { data: { profileId: string } } | undefined;
      const added = profileOf(userOf(outcome.state), recorded?.data.profileId ?? '');
      return { ...written(outcome, added), location: `/users/${id}/profiles/${added.id}` };
    },
  }),
  post('/users/{id}/profiles/{profileId}/resubmit', {
    summary: 'Sends the documents of a rejected profile again',
    description: 'It is ANALYSING from then on. A field that is absent stays as it is.',
    body: ResubmittedProfile,
    example: resubmission,
    answers: { 200: UserProfile },
    problems: [410],
    handle: async ({ params: { id, profileId }, body: { specialties, ...sent }, by }) => {
      const ids = specialties && { specialties: await specialtyIds(service, specialties) };
      const data = { profileId, ...sent, ...ids };
      const outcome = await service.handle(user, id, { type: 'ResubmitProfile', data }, by);
      return written(outcome, profileOf(userOf(outcome.state), profileId));
    },
  }),
];

const reads = (service: Service): readonly Route[] => [
  get('/users/{id}/profiles/{profileId}', {
    summary: 'Reads a profile',
    answers: { 200: UserProfile },
    travelsInTime: true,
    handle: ({ params: { id, profileId }, asked }) =>
      service.reader.one(profileResource(service, id, profileId), asked),
  }),
  get('/profiles', {
    summary: 'Lists profiles by ascending creation: with approvalStatus=ANALYSING the approval queue',
    query: z.object({
      approvalStatus: z.enum(approvalStatuses).optional(),
      type: z.enum(profileTypes).optional(),
      ...paging,
    }),
    answers: { 200: pageOf(UserProfile) },
    handle: ({ query: { approvalStatus, type, cursor, limit }, asked }) => {
      const where = { ...(approvalStatus !== undefined && { approvalStatus }), ...(type !== undefined && { type }) };
      const query = { collection: 'profiles', where, prefix: {}, order: 'oldest-first', after: cursor, limit } as const;
      return service.reader.list(users.name, query, asked);
    },
  }),
];

type DecisionCall = Call<{ readonly id: string; readonly profileId: string }, z.output<typeof Decision>, unknown>;

const decide = async (
  { handle }: Service,
  type: 'ApproveProfile' | 'RejectProfile',
  { params: { id, profileId }, body, by }: DecisionCall,
) => {
  const outcome = await handle(user, id, { type, data: { profileId, ...body } }, by);
  return written(outcome, profileOf(userOf(outcome.state), profileId));
};

const specialtyIds = async (service: Service, named: readonly string[]): Promise<string[]> => {
  const [ids = []] = await specialtiesNamed(specialtyNamed(service), [{ named, path: ['specialties'] }]);
  return [...ids];
};

// The profile is answered as its user shows it, with the user's revision.
const profileResource = ({ views }: Service, id: string, profileId: string): Resource<UserState> => ({
  decider: user,
  id,
  projection: users.name,
  fromViews: async () => {
    const document = await views.get('users', id);
    const { profiles } = (document === undefined ? { profiles: [] } : JSON.parse(document.body)) as UserFields;
    const found = profiles.find((each) => each.id === profileId);
    return found && document && { json: JSON.stringify(found), revision: document.revision };
  },
  fromState: (state) => profileOf(userOf(state), profileId),
});
