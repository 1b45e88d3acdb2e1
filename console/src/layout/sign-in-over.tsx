// The sign-in over a page whose session has ended. The page below keeps what the reader typed.
import { Modal, Stack } from '@mantine/core';
import { type Identity, leave, signIn } from '../api/session.js';
import { Action } from '../parts/actions.js';
import { Form, useDraft } from '../parts/draft.js';
import { PasswordField, TextField } from '../parts/fields.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

export const SignInOver = ({ who: _ }: { readonly who: Identity }) => {
  const { states, nav, signIn: texts } = useTexts();
  const draft = useDraft({
    from: { email: '', password: '' },
    send: ({ email, password }) => signIn(email, password),
    isKept: false,
  });
  return (
    <Modal opened onClose={leave} title={states.ended} closeOnClickOutside={false} withCloseButton={false}>
      <Stack>
        <Paragraph>{states.endedAdvice}</Paragraph>
        <Form draft={draft}>
          <TextField {...draft.field('email')} label={texts.email} type="email" purpose="username" />
          <PasswordField {...draft.field('password')} label={texts.password} purpose="current-password" />
          <Action look="main" sends isBusy={draft.isBusy}>
            {nav.signIn}
          </Action>
        </Form>
        <Action look="quiet" onPress={leave}>
          {nav.signOut}
        </Action>
      </Stack>
    </Modal>
  );
};
