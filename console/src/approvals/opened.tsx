// The profile that is open: the person, the decision, and the whole life of the profile.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Answer, answerOf, api } from '../api/client.js';
import { useList } from '../api/lists.js';
import { isRefused, Refusal } from '../api/refusal.js';
import { useSession } from '../api/session.js';
import { Action, LinkTo } from '../parts/actions.js';
import { Column, Line, Section } from '../parts/boxes.js';
import { Heading } from '../parts/page.js';
import { Sign } from '../parts/signs.js';
import { Awaited, Empty, Notice } from '../parts/states.js';
import { Paragraph, Status } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { Attach } from './attach.js';
import { Decide, type Decision } from './decide.js';
import { Life } from './life.js';
import { AtApproval, Particulars } from './particulars.js';
import { REFRESH_MS } from './tabs.js';
import { nameOf, titleOf, type User, whoOf } from './timeline.js';

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
        <Line>
          <LinkTo to={props.back}>
            <Sign name="back" /> {actions.back}
          </LinkTo>
        </Line>
      </div>
      <Awaited query={query}>
        {(newest) => <Person {...props} newest={newest} read={async () => (await query.refetch()).data ?? newest} />}
      </Awaited>
    </Column>
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
  const profile = user.profiles.find(({ id }) => id === profileId);
  const isErased = user.auth.length === 0;
  const isOwn = 'who' in session && session.who.userId === userId;
  const approvedAt = history.data?.items.findLast(({ type }) => type === 'UserProfileApproved')?.at;

  /** Shows the new state. Returns the last step of the profile if it is new. */
  const refresh = async () => {
    const known = history.data?.items.at(-1)?.revision;
    const [next, life] = await Promise.all([read(), history.refetch()]);
    show(next);
    const last = life.data?.pages.at(-1)?.items.at(-1);
    return last?.revision === known ? undefined : last;
  };
  const settled = async (change: Promise<unknown>) => {
    await change.catch(async (error: unknown) => {
      if (!isRefused(error, 'revision-mismatch')) throw error;
      const step = await refresh();
      const faster = step && approvals.faster(whoOf(texts, step, userId), titleOf(texts, step).title);
      throw new Refusal({
        code: 'conflict',
        title: faster ?? approvals.otherChange,
        detail: approvals.conflictAdvice,
      });
    });
  };

  if (profile === undefined) return <Empty title={approvals.noProfile}>{approvals.choose}</Empty>;
  const name = nameOf(texts, user);
  const change = { etag, settled };
  return (
    <div ref={region}>
      <Column>
        <Line apart>
          <Heading order={2}>{name}</Heading>
          <Status of={profile.approvalStatus} />
        </Line>
        {isErased && <Notice title={approvals.erasedPerson} />}
        {profile.changedSinceApproval && approvedAt && <AtApproval user={user} at={approvedAt} />}
        <Particulars user={user} profile={profile} />
        {isOwn && <Paragraph>{approvals.own}</Paragraph>}
        {!isErased && !isOwn && (
          <Decide {...change} region={region} profile={profile} onDecided={(decision) => onDecided(name, decision)} />
        )}
        <Section title={approvals.life}>
          <Awaited query={history}>
            {({ items }) => <Life steps={items} userId={userId} onMore={history.onMore} />}
          </Awaited>
        </Section>
        {!isErased && <Attach {...change} user={user} onDone={async () => show(await read())} />}
        {newest.etag !== etag && (
          <div className="stays">
            <Notice title={approvals.changedMeanwhile} tone="warning">
              <Action onPress={() => void refresh()}>{approvals.showNew}</Action>
            </Notice>
          </div>
        )}
      </Column>
    </div>
  );
};
