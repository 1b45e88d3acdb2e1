// The routes of profiles and their approval: endpoints 13 and 14 of the contract, and related routes.
import type { z } from 'zod';
import { specialtiesNamed, specialtyNamed } from '../../../commands/specialties.js';
import { DomainError } from '../../../domain/errors.js';
import { profileOf, type User, UserProfile, userOf } from '../../../domain/user/state.js';
import { user } from '../../../domain/user/user.js';
import { administrators, selfOrAdministrators, selfOrOverseers } from '../../access/access.js';
import { type RouteContext, recordedPayload, writeResult } from '../../route/context.js';
import { Read, type TypedReads } from '../../route/documents.js';
import { pageOf } from '../../route/paging.js';
import { documentsOf } from '../../route/reading.js';
import { type Call, get, patch, post, type Route } from '../../route/route.js';
import { decision, profile, resubmission } from '../users/examples.js';
import { ResubmittedProfile, SentDecision, SentProfile } from '../users/schemas.js';
import { ListedUserProfile, ProfileQuery, profilesAsOf, profilesNow } from './listing.js';

const ofDecisions = {
  body: SentDecision,
  example: decision,
  responses: { 200: UserProfile },
  refuses: ['user-not-found', 'user-erased', 'profile-not-found', 'own-profile', 'personal-key-missing'],
} as const;

export const profileRoutes = (app: RouteContext): readonly Route[] => [
  patch('/users/{id}/profiles/{profileId}/approve', {
    access: { who: administrators, personal: true },
    name: 'approveProfile',
    summary: 'Approves a profile',
    description:
      'Approves a profile that is ANALYSING or REJECTED. For an APPROVED profile, the request approves a name or document that has changed since the approval; otherwise it records only a reason that differs from the recorded one.',
    ...ofDecisions,
    handle: (call) => decide(app, 'ApproveProfile', call),
  }),
  patch('/users/{id}/profiles/{profileId}/reject', {
    access: { who: administrators, personal: true },
    name: 'rejectProfile',
    summary: 'Rejects a profile',
    description:
      'Rejects a profile that is ANALYSING or APPROVED. For a REJECTED profile, the request records only a reason that differs from the recorded one. The operator can require a reason (REASONS=required).',
    ...ofDecisions,
    refuses: [...ofDecisions.refuses, 'last-administrator'],
    handle: (call) => decide(app, 'RejectProfile', call),
  }),
  post('/users/{id}/profiles', {
    access: { who: selfOrAdministrators, personal: true },
    name: 'addProfile',
    summary: 'Adds a profile to a user',
    description: 'The new profile is ANALYSING.',
    body: SentProfile,
    example: profile,
    responses: { 201: UserProfile },
    refuses: ['user-not-found', 'user-erased', 'too-many-profiles', 'personal-key-missing'],
    handle: async ({ params: { id }, body, by }) => {
      const specialties = await specialtyIds(app, body.specialties);
      const outcome = await app.handle(user, id, { type: 'AddProfile', data: { ...body, specialties } }, by);
      const added = profileOf(userOf(outcome.state), recordedPayload(outcome, 'UserProfileAdded').profileId);
      return { ...writeResult(outcome, added), location: `/users/${id}/profiles/${added.id}` };
    },
  }),
  post('/users/{id}/profiles/{profileId}/resubmit', {
    access: { who: selfOrAdministrators, personal: true },
    name: 'resubmitProfile',
    summary: 'Resubmits the documents of a rejected profile',
    description: 'The profile becomes ANALYSING. Absent fields stay unchanged.',
    body: ResubmittedProfile,
    example: resubmission,
    responses: { 200: UserProfile },
    refuses: ['user-not-found', 'user-erased', 'profile-not-found', 'profile-not-rejected', 'personal-key-missing'],
    handle: async ({ params: { id, profileId }, body: { specialties, ...sent }, by }) => {
      const ids = specialties && { specialties: await specialtyIds(app, specialties) };
      const data = { profileId, ...sent, ...ids };
      return app.write(profileWith(profileId), id, { type: 'ResubmitProfile', data }, by);
    },
  }),
  get('/users/{id}/profiles/{profileId}', {
    access: { who: selfOrOverseers, personal: true },
    name: 'getProfile',
    summary: 'Reads a profile',
    responses: { 200: UserProfile },
    travelsInTime: true,
    refuses: ['user-not-found', 'profile-not-found'],
    handle: ({ params: { id, profileId }, readOptions }) => app.reader.read(profileWith(profileId), id, readOptions),
  }),
  get('/profiles', {
    access: { who: administrators, personal: true },
    name: 'listProfiles',
    summary: 'Lists profiles, oldest first; with approvalStatus=ANALYSING, lists the approval queue',
    description:
      'With `asOf`, the response shows the list at that time: the filters, the profiles and the names of their users refer to that time. Persons who were erased since then are shown without personal data.',
    query: ProfileQuery,
    responses: { 200: pageOf(ListedUserProfile) },
    travelsInTime: true,
    handle: ({ query, readOptions }) => {
      const { asOf } = readOptions;
      return asOf === undefined
        ? app.reader.list(profilesNow(app.views, query), readOptions)
        : app.reader.list(profilesAsOf(app.streams, query, asOf, readOptions.walker), readOptions);
    },
  }),
];

type DecisionCall = Call<{ readonly id: string; readonly profileId: string }, z.output<typeof SentDecision>, unknown>;

const decide = (
  app: RouteContext,
  type: 'ApproveProfile' | 'RejectProfile',
  { params: { id, profileId }, body, by, bearer, client }: DecisionCall,
) => {
  if (type === 'RejectProfile' && app.isReasonRequired && body.reason === null) throw noReason();
  const from = bearer === undefined ? {} : { sessionId: bearer.sessionId, address: client.address };
  return app.write(profileWith(profileId), id, { type, data: { profileId, ...body } }, { ...by, ...from });
};

const noReason = () =>
  new DomainError('fields-refused', {
    errors: [{ path: ['reason'], code: 'required', message: 'is required: say why the profile is rejected' }],
  });

const specialtyIds = async (app: RouteContext, named: readonly string[]): Promise<string[]> => {
  const [ids = []] = await specialtiesNamed(specialtyNamed(app), [{ named, path: ['specialties'] }]);
  return [...ids];
};

// Shows a profile as part of its user, with the revision of the user.
const profileWith = (profileId: string) => ({
  ...documentsOf('users'),
  decider: user,
  show: (state: User) => profileOf(userOf(state), profileId),
  fromViews: async (views: TypedReads, id: string) => {
    const read = await views.get('users', id);
    const found = read?.value.profiles.find((each) => each.id === profileId);
    return read && found && new Read<UserProfile>(JSON.stringify(found), read.revision);
  },
});
