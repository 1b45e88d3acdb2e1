// What is known of a person and a profile, now and at the approval.
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { Facts } from '../parts/boxes.js';
import { Awaited, Notice } from '../parts/states.js';
import { Ago, Moment } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { phoneOf } from '../texts/phones.js';
import { changesOf, nameOf, type User, type UserProfile } from './timeline.js';
import { useWords } from './words.js';

export const Particulars = ({ user, profile }: { readonly user: User; readonly profile: UserProfile }) => {
  const words = useWords([profile]);
  const { approvals, timeline } = words.texts;
  const credentials = changesOf(words, { before: null, after: { ...profile, changedSinceApproval: false } });
  const attachments = [...user.institutions, ...user.unities].map(({ name }) => name);
  return (
    <Facts
      of={[
        ...credentials.flatMap(({ field, to }) =>
          field === 'approvalStatus' ? [] : [[timeline.fields[field], to] as const],
        ),
        [
          approvals.since[profile.approvalStatus],
          <span key="since">
            <Moment at={profile.updatedAt} /> (<Ago at={profile.updatedAt} />)
          </span>,
        ],
        [approvals.document, user.document],
        [approvals.birthDate, user.birthDate && words.day(user.birthDate)],
        [approvals.email, user.email],
        [approvals.phone, phoneOf(user)],
        [approvals.attachments, attachments.join(', ') || null],
      ]}
    />
  );
};

/** Says what the name and the document were when the profile was approved. */
export const AtApproval = ({ user: { id }, at }: { readonly user: User; readonly at: string }) => {
  const texts = useTexts();
  const { approvals } = texts;
  const query = useQuery({
    queryKey: ['approvals', id, 'at', at],
    queryFn: () => answerOf(api.GET('/users/{id}', { params: { path: { id }, query: { asOf: at } } })),
  });
  return (
    <Awaited query={query} lines={2}>
      {({ value }) => (
        <Notice title={approvals.atApproval} tone="warning">
          <Facts
            of={[
              [approvals.name, nameOf(texts, value)],
              [approvals.document, value.document],
            ]}
          />
        </Notice>
      )}
    </Awaited>
  );
};
