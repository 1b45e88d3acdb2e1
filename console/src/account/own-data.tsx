// The own data. A change may need a new approval, and the page says so.
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { meKey } from '../api/me.js';
import { Refusal } from '../api/refusal.js';
import type { components } from '../api/schema.js';
import { Form, useDraft } from '../parts/draft.js';
import { say } from '../parts/said.js';
import { Awaited } from '../parts/states.js';
import { useTexts } from '../texts/language.js';
import type { PartProps } from './account-page.js';
import { consequencesOf, differencesOf } from './changes.js';
import { type Choices, PersonFields, useChoices } from './person-fields.js';

type Changes = Omit<components['schemas']['UpdateUserRequest'], 'createdAt' | 'updatedAt'>;

/** Returns a function that changes own data and says what that does. Somebody may have been faster; then it says so. */
export const useRevise = ({ me: { value: before, etag } }: PartProps) => {
  const { account, person, signIn } = useTexts();
  const queries = useQueryClient();
  const labels: Readonly<Record<string, string>> = { ...person, ...signIn };
  return async (body: Changes): Promise<void> => {
    if (Object.keys(body).length === 0) return say(account.nothingNew);
    const params = { path: { id: before.id }, header: { 'If-Match': etag } };
    try {
      const answer = await answerOf(api.PUT('/users/{id}', { params, body }));
      queries.setQueryData(meKey(before.id), answer);
      const saved = account.saved(Object.keys(body).map((name) => labels[name] ?? name));
      say([saved, ...consequencesOf(before, answer).map((each) => account.consequences[each])].join(' '));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'revision-mismatch') throw error;
      const path = { id: before.id };
      const answer = await queries.fetchQuery({
        queryKey: meKey(before.id),
        queryFn: () => answerOf(api.GET('/users/{id}', { params: { path } })),
        staleTime: 0,
      });
      const differences = differencesOf(before, answer.value).map(([name, value]) => `${labels[name]}: ${value}`);
      throw new Refusal({ code: 'conflict', title: account.changedMeanwhile, detail: account.stored(differences) });
    }
  };
};

export const OwnData = (props: PartProps) => (
  <Awaited query={useChoices()}>{(choices) => <OwnDataForm {...props} choices={choices} />}</Awaited>
);

const OwnDataForm = ({ me, choices }: PartProps & { readonly choices: Choices }) => {
  const { actions } = useTexts();
  const revise = useRevise({ me });
  const { firstName, lastName, document, birthDate, gender } = me.value;
  const draft = useDraft({
    from: {
      firstName: firstName ?? '',
      lastName: lastName ?? '',
      document: document ?? '',
      birthDate: birthDate ?? '',
      gender: gender ?? ('' as const),
    },
    send: (_, changed) => revise(changed),
  });
  return (
    <Form draft={draft} action={actions.save}>
      <PersonFields field={draft.field} genders={choices.enumerations.genders} />
    </Form>
  );
};
