// Recognizes the events that commands on a user can have recorded in a state.
import type { Permits } from '../decider.js';
import type { userEvents } from './events.js';
import { type ApprovalStatus, isActivated, type User, type UserFields } from './state.js';

const ofActive =
  <D>(test: (fields: UserFields, data: D, actorId: string) => boolean) =>
  (state: User, data: D, actorId: string): boolean =>
    state.status === 'active' && test(state.fields, data, actorId);

const whileActive = ofActive(() => true);

interface OfProfile {
  readonly profileId: string;
}

const profileIn = ({ profiles }: UserFields, { profileId }: OfProfile) => profiles.find(({ id }) => id === profileId);

/** Permits a decision by another user, and the same decision again only if the profile has changed since. */
const decision = (status: ApprovalStatus) =>
  ofActive((fields, data: OfProfile, actorId) => {
    const profile = profileIn(fields, data);
    if (profile === undefined || actorId === fields.id) return false;
    return profile.approvalStatus !== status || profile.changedSinceApproval;
  });

const attached = (to: UserFields['institutions'], attachment: string): boolean =>
  to.some(({ id }) => id === attachment);

export const userPermits: Permits<User, typeof userEvents> = {
  UserRegistered: ({ status }) => status === 'unknown',
  UserRevised: ofActive((fields, { enabled }, actorId) => !enabled || fields.enabled || actorId !== fields.id),
  UserProfileAdded: ofActive((fields, data) => profileIn(fields, data) === undefined),
  UserProfileApproved: decision('APPROVED'),
  UserProfileRejected: decision('REJECTED'),
  UserProfileChangedSinceApproval: ofActive(
    (fields, data, actorId) =>
      profileIn(fields, data)?.approvalStatus === 'APPROVED' && !(data.isReviewed && actorId === fields.id),
  ),
  UserProfileReturnedToAnalysis: ofActive((fields, data) => {
    const profile = profileIn(fields, data);
    return profile?.approvalStatus === 'APPROVED' && profile.changedSinceApproval && profile.type !== 'ADMINISTRATOR';
  }),
  UserSignInEmailChanged: whileActive,
  UserProfileResubmitted: ofActive((fields, data) => profileIn(fields, data)?.approvalStatus === 'REJECTED'),
  UserAttachedToInstitution: ofActive(({ institutions }, { institutionId }) => !attached(institutions, institutionId)),
  UserAttachedToUnity: ofActive(
    ({ institutions, unities }, { institutionId, unityId }) =>
      attached(institutions, institutionId) && !attached(unities, unityId),
  ),
  UserPhoneChanged: whileActive,
  UserActivated: (state) => state.status === 'active' && !isActivated(state),
  UserPasswordChanged: whileActive,
  UserProfileErased: ofActive((fields, data) => profileIn(fields, data) !== undefined),
  UserErased: whileActive,
};
