// The profile that is open: the person, the decision, and the whole life of the profile.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Answer, answerOf, api } from '../api/client.js';
import { useList } from '../api/lists.js';
import { useSession } from '../api/session.js';
import { useSpecialtyNames } from '../api/specialties.js';
import { Action, LinkTo } from '../parts/actions.js';
import { Column, Facts, Line, Section } from '../parts/boxes.js';
import { Heading } from '../parts/page.js';
import { Sign } from '../parts/signs.js';
import { Awaited, Empty, Notice } from '../parts/states.js';
import { Ago, Moment, Paragraph, Status } from '../parts/words.js';
import { useLanguage, useTexts } from '../texts/language.js';
import { dayIn } from '../texts/moments.js';
import { Attach } from './attach.js';
import { Decide, type Decision } from './decide.js';
import { Life } from './life.js';
import { REFRESH_MS } from './tabs.js';
import { nameOf, titleOf, type User, type UserProfile, whoOf } from './timeline.js';

interface OpenedProps {
  readonly userId: string;
  readonly profileId: string;
  /** The address of the list. */
  readonly back: string;
  readonly onDecided: (name: string, decision: Decision) => void;
}

export const Opened = (props: OpenedProps) => {
  const { actions } = useTexts();
  const query = useQuery({
    queryKey: ['approvals', props.userId],
    queryFn: () => answerOf(api.GET('/users/{id}', { params: { path: { id: props.userId } } })),
    refetchInterval: REFRESH_MS,
    gcTime: 0,
  });
  return (
    <Column>
      <div className="narrow-only">
        <LinkTo to={props.back}>
          <Sign name="back" /> {actions.back}
        </LinkTo>
      </div>
      <Awaited query={query}>
        {(newest) => <Person {...props} newest={newest} read={async () => (await query.refetch()).data ?? newest} />}
      </Awaited>
    </Column>
  );
};

interface PersonProps extends OpenedProps {
  readonly newest: Answer<User>;
  readonly read: () => Promise<Answer<User>>;
}

/** Shows the person as they were when the profile was opened, and says if something has changed since. */
const Person = ({ userId, profileId, newest, read, onDecided }: PersonProps) => {
  const texts = useTexts();
  const { approvals } = texts;
  const session = useSession();
  const region = useRef<HTMLDivElement>(null);
  const [shown, show] = useState(newest);
  const history = useHistory(userId, profileId);
  const { value: user, etag } = shown;
  const name = nameOf(texts, user);
  const profile = user.profiles.find(({ id }) => id === profileId);
  const approvedAt = history.data?.items.findLast(({ type }) => type === 'UserProfileApproved')?.at;
  const isErased = user.auth.length === 0;
  const isOwn = 'who' in session && session.who.userId === userId;

  /** Shows the new state. Returns the last step of the profile if it is new. */
  const refresh = async () => {
    const known = history.data?.items.at(-1)?.revision;
    const [next, life] = await Promise.all([read(), history.refetch()]);
    show(next);
    const last = life.data?.pages.at(-1)?.items.at(-1);
    return last?.revision === known ? undefined : last;
  };
  const fasterOne = async () => {
    const step = await refresh();
    return step && approvals.faster(whoOf(texts, step, userId), titleOf(texts, step).title);
  };

  if (profile === undefined) return <Empty title={approvals.noProfile} />;
  return (
    <div ref={region}>
      <Column>
        <Line apart>
          <Heading order={2}>{name}</Heading>
          <Status of={profile.approvalStatus} />
        </Line>
        {newest.etag !== etag && (
          <Notice title={approvals.changedMeanwhile} tone="warning">
            <Action onPress={() => void refresh()}>{approvals.showNew}</Action>
          </Notice>
        )}
        {isErased && <Notice title={approvals.erasedPerson} />}
        {profile.changedSinceApproval && approvedAt && <AtApproval user={user} at={approvedAt} />}
        <Particulars user={user} profile={profile} />
        {isOwn && <Paragraph>{approvals.own}</Paragraph>}
        {!isErased && !isOwn && (
          <Decide
            region={region}
            profile={profile}
            etag={etag}
            onDecided={(decision) => onDecided(name, decision)}
            readFaster={fasterOne}
          />
        )}
        <Section title={approvals.life}>
          <Awaited query={history}>
            {({ items }) => <Life steps={items} userId={userId} onMore={history.onMore} />}
          </Awaited>
        </Section>
        {!isErased && <Attach user={user} etag={etag} onDone={refresh} />}
      </Column>
    </div>
  );
};

const useHistory = (id: string, profileId: string) =>
  useList({
    key: ['approvals', id, profileId],
    page: (cursor) => {
      const params = { path: { id, profileId }, query: { limit: 200, ...(cursor && { cursor }) } };
      return answerOf(api.GET('/users/{id}/profiles/{profileId}/history', { params }));
    },
    isRecorded: true,
  });

const Particulars = ({ user, profile }: { readonly user: User; readonly profile: UserProfile }) => {
  const { approvals, profileTypes, timeline } = useTexts();
  const language = useLanguage();
  const specialtyIds = profile.specialties.map(({ specialtyId }) => specialtyId);
  const nameOfSpecialty = useSpecialtyNames(specialtyIds);
  const { documentDoctor, documentDoctorState, documentDoctorUpdatedAt } = profile;
  const phone = [user.dialingCode, user.phone].filter(Boolean).join(' ');
  const attachments = [...user.institutions, ...user.unities].map(({ name }) => name);
  return (
    <Facts
      of={[
        [timeline.fields.type, profileTypes[profile.type]],
        [timeline.fields.documentDoctor, [documentDoctor, documentDoctorState].filter(Boolean).join(' / ') || null],
        [timeline.fields.documentDoctorUpdatedAt, documentDoctorUpdatedAt && dayIn(language, documentDoctorUpdatedAt)],
        [timeline.fields.specialties, specialtyIds.map(nameOfSpecialty).join(', ') || null],
        [approvals.since[profile.approvalStatus], <Since key="since" at={profile.updatedAt} />],
        [approvals.document, user.document],
        [approvals.birthDate, user.birthDate && dayIn(language, user.birthDate)],
        [approvals.email, user.email],
        [approvals.phone, phone || null],
        [approvals.attachments, attachments.join(', ') || null],
      ]}
    />
  );
};

const Since = ({ at }: { readonly at: string }) => (
  <>
    <Moment at={at} /> (<Ago at={at} />)
  </>
);

/** Says what the name and the document were when the profile was approved. */
const AtApproval = ({ user, at }: { readonly user: User; readonly at: string }) => {
  const texts = useTexts();
  const { approvals } = texts;
  const query = useQuery({
    queryKey: ['approvals', user.id, 'at', at],
    queryFn: () => answerOf(api.GET('/users/{id}', { params: { path: { id: user.id }, query: { asOf: at } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Awaited query={query} lines={2}>
      {({ value: then }) => (
        <Notice title={approvals.atApproval} tone="warning">
          <Facts
            of={[
              [approvals.name, nameOf(texts, then)],
              [approvals.document, then.document],
            ]}
          />
        </Notice>
      )}
    </Awaited>
  );
};
