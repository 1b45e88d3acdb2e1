// The own password and sessions.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import type { components } from '../api/schema.js';
import { leave, signOut } from '../api/session.js';
import { Action } from '../parts/actions.js';
import { Column, Line, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { PasswordField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Awaited, Refused } from '../parts/states.js';
import { Ago, Moment, Paragraph, Quiet } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

export const Security = () => {
  const { account, signIn } = useTexts();
  return (
    <Column>
      <Section title={signIn.password}>
        <PasswordForm />
      </Section>
      <Section title={account.sessions}>
        <Sessions />
      </Section>
    </Column>
  );
};

const PasswordForm = () => {
  const { account, newPassword: password } = useTexts();
  const draft = useDraft({
    from: { currentPassword: '', newPassword: '' },
    send: (body) => answerOf(api.PUT('/auth-service/password', { body })),
    places: { 'current-password-refused': 'currentPassword' },
    isKept: false,
  });
  const goOn = () => {
    say(password.done);
    leave();
  };
  return (
    <Form draft={draft} action={account.changePassword} onSent={goOn}>
      <Paragraph>{account.passwordEnds}</Paragraph>
      <PasswordField {...draft.field('currentPassword')} label={account.currentPassword} purpose="current-password" />
      <PasswordField {...draft.field('newPassword')} label={password.new} hint={password.rule} purpose="new-password" />
    </Form>
  );
};

const sessionsKey = ['sessions'] as const;

const Sessions = () => {
  const query = useQuery({ queryKey: sessionsKey, queryFn: () => answerOf(api.GET('/auth-service/sessions')) });
  return (
    <Awaited query={query} lines={2}>
      {({ value }) => value.items.map((session) => <OneSession key={session.id} session={session} />)}
    </Awaited>
  );
};

const OneSession = ({ session }: { readonly session: components['schemas']['Session'] }) => {
  const { account, nav } = useTexts();
  const queries = useQueryClient();
  const { id, appName, createdAt, lastUsedAt, current } = session;
  const ending = useMutation({
    mutationFn: async () => {
      if (current) return signOut();
      await answerOf(api.DELETE('/auth-service/sessions/{id}', { params: { path: { id } } }));
      say(account.sessionEnded);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  return (
    <div>
      {ending.error !== null && <Refused error={ending.error} />}
      <Line apart>
        <div>
          {current ? account.thisSession : (appName ?? account.unnamedProgram)}
          <br />
          <Quiet>
            {account.since} <Moment at={createdAt} /> · {account.used} <Ago at={lastUsedAt} />
          </Quiet>
        </div>
        <Action onPress={() => ending.mutate()} isBusy={ending.isPending}>
          {current ? nav.signOut : account.end}
        </Action>
      </Line>
    </div>
  );
};
