// Attaches a person to an institution, or to one of its unities.
import { answerOf, api } from '../api/client.js';
import { useList } from '../api/lists.js';
import { Action, LinkTo } from '../parts/actions.js';
import { Line, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { ChoiceField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Awaited } from '../parts/states.js';
import { useTexts } from '../texts/language.js';
import { nameOf, type User } from './timeline.js';

interface AttachProps {
  readonly user: User;
  readonly etag: string;
  readonly onDone: () => Promise<unknown>;
}

export const Attach = ({ user, etag, onDone }: AttachProps) => {
  const texts = useTexts();
  const { approvals } = texts;
  const list = useList({
    key: ['institutions'],
    page: (cursor) => {
      const query = { limit: 200, ...(cursor && { cursor }) };
      return answerOf(api.GET('/institutions', { params: { query } }));
    },
  });
  const places = (list.data?.items ?? []).flatMap(({ id, name, unities }) => [
    { value: id, label: name, id },
    ...unities.map((unity) => ({ value: `${id} ${unity.id}`, label: `${name}, ${unity.name}`, id: unity.id })),
  ]);
  const attached = [...user.institutions, ...user.unities].map(({ id }) => id);
  const choices = places.filter(({ id }) => !attached.includes(id));
  const draft = useDraft({
    from: { place: '' },
    send: async ({ place }) => {
      const [id = '', unityId] = place.split(' ');
      const header = { 'If-Match': etag };
      const body = { userId: user.id };
      await answerOf(
        unityId === undefined
          ? api.POST('/institutions/{id}/users', { params: { path: { id }, header }, body })
          : api.POST('/institutions/{id}/unities/{unityId}/users', { params: { path: { id, unityId }, header }, body }),
      );
      const label = choices.find(({ value }) => value === place)?.label ?? '';
      say(approvals.attached(nameOf(texts, user), label));
    },
    isKept: false,
  });
  const finish = async () => {
    await onDone();
    draft.discard();
  };
  return (
    <Section title={approvals.attach}>
      <Awaited query={list} lines={1}>
        {() =>
          places.length === 0 ? (
            <LinkTo to="/">{approvals.noInstitutions}</LinkTo>
          ) : (
            <Form draft={draft} onSent={() => void finish()}>
              <ChoiceField
                {...draft.field('place')}
                label={approvals.place}
                choices={[{ value: '', label: approvals.choosePlace }, ...choices]}
              />
              <Line>
                <Action sends isBusy={draft.isBusy}>
                  {approvals.doAttach}
                </Action>
                {list.onMore && <Action onPress={list.onMore}>{texts.actions.more}</Action>}
              </Line>
            </Form>
          )
        }
      </Awaited>
    </Section>
  );
};
