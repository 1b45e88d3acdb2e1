// A new password with a code from an e-mail.
import { useNavigate, useSearchParams } from 'react-router';
import { answerOf, api } from '../api/client.js';
import { Action } from '../parts/actions.js';
import { Form, useDraft } from '../parts/draft.js';
import { PasswordField, TextField } from '../parts/fields.js';
import { Page } from '../parts/page.js';
import { say } from '../parts/said.js';
import { useTexts } from '../texts/language.js';
import { CodeField, SendCode, useSending } from './codes.js';
import { useRememberedEmail, useTypedEmail, useWithNext } from './onward.js';

export const PasswordPage = () => {
  const { newPassword: password, signIn } = useTexts();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const withNext = useWithNext();
  const hasCode = params.has('code');
  const openCode = () => setParams((before) => new URLSearchParams([...before, ['code', '']]));
  const sending = useSending({ email: useTypedEmail() }, ({ email }) =>
    answerOf(api.POST('/auth-service/password/reset-code', { body: { email: email.trim() } })),
  );
  const { email } = sending.draft.values;
  useRememberedEmail(email);
  const draft = useDraft({
    from: { code: '', newPassword: '' },
    send: ({ code, newPassword }) =>
      answerOf(
        api.POST('/auth-service/password/reset', { body: { email: email.trim(), code: code.trim(), newPassword } }),
      ),
    places: { 'code-refused': 'code' },
    isKept: false,
  });
  const goOn = () => {
    say(password.done);
    void navigate(withNext('/sign-in'));
  };
  return (
    <Page title={password.title} intro={params.get('why') === 'initial' ? password.initial : password.intro} isNarrow>
      <SendCode sending={sending} isSecond={hasCode} {...(!hasCode && { onSent: openCode })}>
        <TextField {...sending.draft.field('email')} label={signIn.email} type="email" purpose="username" />
      </SendCode>
      {hasCode ? (
        <Form draft={draft} action={password.action} onSent={goOn}>
          <CodeField {...draft.field('code')} />
          <PasswordField
            {...draft.field('newPassword')}
            label={password.new}
            hint={password.rule}
            purpose="new-password"
          />
        </Form>
      ) : (
        <Action look="quiet" onPress={openCode}>
          {password.hasCode}
        </Action>
      )}
    </Page>
  );
};
