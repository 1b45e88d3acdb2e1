// The own profiles: the state of each, what happens now, and the way on after a rejection.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { answerOf, api } from '../api/client.js';
import { meKey } from '../api/me.js';
import type { components } from '../api/schema.js';
import { LinkTo } from '../parts/actions.js';
import { Column, Facts, Line, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { say } from '../parts/said.js';
import { Awaited, Empty } from '../parts/states.js';
import { Moment, Paragraph, Status } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import type { PartProps } from './account-page.js';
import { useSettled } from './own-data.js';
import { type Choices, newProfile, ProfileFields, sentProfile, useChoices } from './person-fields.js';
import { reasonIn } from './reason.js';

type Profile = components['schemas']['UserProfile'];

export const OwnProfiles = ({ me }: PartProps) => {
  const { account } = useTexts();
  const { profiles } = me.value;
  return (
    <Column>
      {profiles.length === 0 && <Empty title={account.noProfile} />}
      {profiles.map((profile) => (
        <ProfileState key={profile.id} profile={profile} />
      ))}
      <LinkTo to="/account/new-profile">{account.titles['new-profile']}</LinkTo>
    </Column>
  );
};

const ProfileState = ({ profile }: { readonly profile: Profile }) => {
  const { account, profileTypes, timeline } = useTexts();
  const { id, type, approvalStatus, documentDoctor, documentDoctorState, specialties, changedSinceApproval } = profile;
  const { named, unnamed } = specialtiesIn(profile, useChoices().data);
  const registration = [documentDoctor, documentDoctorState].filter(Boolean).join(' / ');
  return (
    <Section title={profileTypes[type]}>
      <Line>
        <Status of={approvalStatus} />
        <Moment at={profile.updatedAt} />
      </Line>
      <Paragraph>{changedSinceApproval ? account.changed : account.now[approvalStatus]}</Paragraph>
      {approvalStatus === 'REJECTED' && <LinkTo to={`/account/profile/${id}`}>{account.toReason}</LinkTo>}
      {(registration || specialties.length > 0) && (
        <Facts
          of={[
            [timeline.fields.documentDoctor, registration || null],
            [timeline.fields.specialties, [...named, ...unnamed.map(() => account.unlisted)].join(', ') || null],
          ]}
        />
      )}
    </Section>
  );
};

/** Returns the specialties of a profile: the names of those in the catalogue, and the ids of those that wait for it. */
const specialtiesIn = ({ specialties }: Profile, choices: Choices | undefined) => {
  const names = new Map(choices?.specialties.map(({ id, name }) => [id, name]));
  const ids = specialties.map(({ specialtyId }) => specialtyId);
  return {
    named: ids.flatMap((id) => names.get(id) ?? []),
    unnamed: choices ? ids.filter((id) => !names.has(id)) : [],
  };
};

/** Returns what happens after a change of the own profiles: the page with all of them shows the new state. */
const useGoBack = (userId: string) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (message: string) => {
    say(message);
    await queries.invalidateQueries({ queryKey: meKey(userId) });
    await navigate('/account');
  };
};

export const AddProfile = (props: PartProps) => (
  <Awaited query={useChoices()}>{(choices) => <AddProfileForm {...props} choices={choices} />}</Awaited>
);

const AddProfileForm = ({ me, choices }: PartProps & { readonly choices: Choices }) => {
  const { account } = useTexts();
  const { id } = me.value;
  const goBack = useGoBack(id);
  const settled = useSettled();
  const draft = useDraft({
    from: newProfile,
    of: me,
    send: (typed, _, seen) => {
      const params = { path: { id }, header: { 'If-Match': seen.etag } };
      return settled(seen, answerOf(api.POST('/users/{id}/profiles', { params, body: sentProfile(typed) })));
    },
  });
  return (
    <Form draft={draft} action={account.ask} onSent={() => void goBack(account.asked)}>
      <ProfileFields field={draft.field} choices={choices} />
    </Form>
  );
};

/** The reason of a rejection. Reading it is recorded, so it is read only when its page is opened. */
const useReason = (id: string, profileId: string) =>
  useQuery({
    queryKey: ['reason', id, profileId],
    queryFn: () =>
      reasonIn((cursor) => {
        const params = { path: { id, profileId }, query: { limit: 200, ...(cursor && { cursor }) } };
        return answerOf(api.GET('/users/{id}/profiles/{profileId}/history', { params }));
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export const RejectedProfile = ({ me }: PartProps) => {
  const { profileId } = useParams();
  const { account } = useTexts();
  const profile = me.value.profiles.find(({ id }) => id === profileId);
  if (profile === undefined) return <Empty title={account.noSuchProfile} />;
  return profile.approvalStatus === 'REJECTED' ? (
    <Resubmission me={me} profile={profile} />
  ) : (
    <ProfileState profile={profile} />
  );
};

type ResubmissionProps = PartProps & { readonly profile: Profile };

const Resubmission = ({ me, profile }: ResubmissionProps) => {
  const { account, profileTypes } = useTexts();
  return (
    <Column>
      <Section title={account.reason}>
        <Awaited query={useReason(profile.userId, profile.id)} lines={2}>
          {({ text }) => <Paragraph>{text ?? account.noReason}</Paragraph>}
        </Awaited>
      </Section>
      <Section title={`${account.again}: ${profileTypes[profile.type]}`}>
        <Awaited query={useChoices()}>{(found) => <ResubmitForm me={me} profile={profile} choices={found} />}</Awaited>
      </Section>
    </Column>
  );
};

const ResubmitForm = ({ me, profile, choices }: ResubmissionProps & { readonly choices: Choices }) => {
  const { account } = useTexts();
  const { userId: id, id: profileId } = profile;
  const goBack = useGoBack(id);
  const settled = useSettled();
  const { named, unnamed } = specialtiesIn(profile, choices);
  const draft = useDraft({
    from: {
      type: profile.type,
      documentDoctor: profile.documentDoctor ?? '',
      documentDoctorState: profile.documentDoctorState ?? '',
      documentDoctorUpdatedAt: profile.documentDoctorUpdatedAt ?? '',
      specialties: named as readonly string[],
    },
    of: me,
    send: (typed, _changed, seen) => {
      const { type: _, ...body } = sentProfile({ ...typed, specialties: [...typed.specialties, ...unnamed] });
      const params = { path: { id, profileId }, header: { 'If-Match': seen.etag } };
      return settled(seen, answerOf(api.POST('/users/{id}/profiles/{profileId}/resubmit', { params, body })));
    },
  });
  return (
    <Form draft={draft} action={account.again} onSent={() => void goBack(account.asked)}>
      <ProfileFields field={draft.field} choices={choices} isOld />
    </Form>
  );
};
