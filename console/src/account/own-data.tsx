// The own data. A change may need a new approval, and the page says so.
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { meKey } from '../api/me.js';
import { isRefused, Refusal } from '../api/refusal.js';
import type { components } from '../api/schema.js';
import { Form, useDraft } from '../parts/draft.js';
import { say } from '../parts/said.js';
import { Awaited } from '../parts/states.js';
import { useTexts } from '../texts/language.js';
import type { PartProps } from './account-page.js';
import { consequencesOf, differencesOf } from './changes.js';
import { type Choices, PersonFields, useChoices } from './person-fields.js';

type Changes = Omit<components['schemas']['UpdateUserRequest'], 'createdAt' | 'updatedAt'>;

const useLabels = (): Readonly<Record<string, string>> => {
  const { person, signIn } = useTexts();
  return { ...person, ...signIn };
};

/** Returns a function that waits for a change of the state that the reader saw. If it was changed before, it says how. */
export const useSettled = () => {
  const { account } = useTexts();
  const labels = useLabels();
  const queries = useQueryClient();
  return async <T,>({ value: before }: PartProps['me'], change: Promise<T>): Promise<T> =>
    change.catch(async (error: unknown) => {
      if (!isRefused(error, 'revision-mismatch')) throw error;
      const path = { id: before.id };
      const { value, etag } = await queries.fetchQuery({
        queryKey: meKey(before.id),
        queryFn: () => answerOf(api.GET('/users/{id}', { params: { path } })),
        staleTime: 0,
      });
      const differences = differencesOf(before, value).map(([name, now]) => `${labels[name]}: ${now}`);
      throw new Refusal({
        code: 'conflict',
        title: account.changedMeanwhile,
        detail: account.stored(differences),
        etag,
      });
    });
};

/** Returns a function that changes own data, as a change of the state that the reader saw, and says what that does. */
export const useRevise = () => {
  const { account } = useTexts();
  const labels = useLabels();
  const queries = useQueryClient();
  const settled = useSettled();
  return async (body: Changes, seen: PartProps['me']): Promise<unknown> => {
    if (Object.keys(body).length === 0) return say(account.nothingNew);
    const { id } = seen.value;
    const params = { path: { id }, header: { 'If-Match': seen.etag } };
    const answer = await settled(seen, answerOf(api.PUT('/users/{id}', { params, body })));
    queries.setQueryData(meKey(id), answer);
    const saved = account.saved(Object.keys(body).map((name) => labels[name] ?? name));
    say([saved, ...consequencesOf(seen.value, answer).map((each) => account.consequences[each])].join(' '));
    return answer;
  };
};

export const OwnData = (props: PartProps) => (
  <Awaited query={useChoices()}>{(choices) => <OwnDataForm {...props} choices={choices} />}</Awaited>
);

const OwnDataForm = ({ me, choices }: PartProps & { readonly choices: Choices }) => {
  const { actions } = useTexts();
  const revise = useRevise();
  const { firstName, lastName, document, birthDate, gender } = me.value;
  const draft = useDraft({
    from: {
      firstName: firstName ?? '',
      lastName: lastName ?? '',
      document: document ?? '',
      birthDate: birthDate ?? '',
      gender: gender ?? ('' as const),
    },
    of: me,
    send: (_, changed, seen) => revise(changed, seen),
  });
  return (
    <Form draft={draft} action={actions.save}>
      <PersonFields field={draft.field} genders={choices.enumerations.genders} />
    </Form>
  );
};
