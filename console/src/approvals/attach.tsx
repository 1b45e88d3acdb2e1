// Attaches a person to an institution, or to one of its unities.
import { answerOf, api } from '../api/client.js';
import { useList } from '../api/lists.js';
import { Refusal } from '../api/refusal.js';
import { Action, LinkTo } from '../parts/actions.js';
import { Line, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { ChoiceField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Awaited } from '../parts/states.js';
import { useTexts } from '../texts/language.js';
import type { Settled } from './decide.js';
import { nameOf, type User } from './timeline.js';

interface AttachProps {
  readonly user: User;
  readonly etag: string;
  readonly settled: Settled;
  readonly onDone: () => Promise<unknown>;
}

// The service never sees a choice that was not made.
const noneChosen = new Refusal({
  ...{ code: 'fields-refused', title: '', detail: '' },
  errors: [{ pointer: '/place', code: 'required', message: '' }],
});

export const Attach = ({ user, etag, settled, onDone }: AttachProps) => {
  const texts = useTexts();
  const { approvals, actions } = texts;
  const list = useList({
    key: ['institutions'],
    page: (cursor) =>
      answerOf(api.GET('/institutions', { params: { query: { limit: 200, ...(cursor && { cursor }) } } })),
  });
  const attached = [...user.institutions, ...user.unities].map(({ id }) => id);
  const choices = (list.data?.items ?? [])
    .flatMap(({ id, name, unities }) => [
      { value: id, label: name, id },
      ...unities.map((unity) => ({ value: `${id} ${unity.id}`, label: `${name}, ${unity.name}`, id: unity.id })),
    ])
    .filter(({ id }) => !attached.includes(id));
  const draft = useDraft({
    from: { place: '' },
    send: async ({ place }) => {
      const [id = '', unityId = ''] = place.split(' ');
      if (id === '') throw noneChosen;
      const sent = { params: { path: { id, unityId }, header: { 'If-Match': etag } }, body: { userId: user.id } };
      await settled(
        unityId === ''
          ? answerOf(api.POST('/institutions/{id}/users', sent))
          : answerOf(api.POST('/institutions/{id}/unities/{unityId}/users', sent)),
      );
      say(approvals.attached(nameOf(texts, user), choices.find(({ value }) => value === place)?.label ?? ''));
    },
    isKept: false,
  });
  const finish = async () => {
    await onDone();
    draft.discard();
  };
  const none = { value: '', label: approvals.choosePlace };
  return (
    <Section title={approvals.attach}>
      <Awaited query={list} lines={1}>
        {({ items }) =>
          items.length === 0 ? (
            <LinkTo to="/">{approvals.noInstitutions}</LinkTo>
          ) : (
            <Form draft={draft} onSent={() => void finish()}>
              <ChoiceField {...draft.field('place')} label={approvals.place} choices={[none, ...choices]} />
              <Line>
                <Action sends isBusy={draft.isBusy}>
                  {approvals.doAttach}
                </Action>
                {list.onMore && <Action onPress={list.onMore}>{actions.more}</Action>}
              </Line>
            </Form>
          )
        }
      </Awaited>
    </Section>
  );
};
