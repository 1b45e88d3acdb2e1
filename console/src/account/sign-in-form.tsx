// The form of e-mail and password.
import { signIn } from '../api/session.js';
import { Form, useDraft } from '../parts/draft.js';
import { PasswordField, TextField } from '../parts/fields.js';
import { useTexts } from '../texts/language.js';
import { useRememberedEmail } from './onward.js';

interface SignInFormProps {
  readonly email: string;
  readonly onRefused?: (error: unknown) => void;
}

export const SignInForm = ({ email, onRefused }: SignInFormProps) => {
  const { signIn: texts, nav } = useTexts();
  const draft = useDraft({
    from: { email, password: '' },
    send: (sent) =>
      signIn(sent.email.trim(), sent.password).catch((error: unknown) => {
        onRefused?.(error);
        throw error;
      }),
    isKept: false,
  });
  useRememberedEmail(draft.values.email);
  return (
    <Form draft={draft} action={nav.signIn}>
      <TextField {...draft.field('email')} label={texts.email} type="email" purpose="username" />
      <PasswordField
        {...draft.field('password')}
        label={texts.password}
        purpose="current-password"
        isFirst={email !== ''}
      />
    </Form>
  );
};
