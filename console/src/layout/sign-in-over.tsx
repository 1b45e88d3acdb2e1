// The sign-in over a page whose session has ended. The page below keeps what the reader typed.
import { Modal, Stack } from '@mantine/core';
import { SignInForm } from '../account/sign-in-form.js';
import { useMe } from '../api/me.js';
import { leave } from '../api/session.js';
import { Action } from '../parts/actions.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

export const SignInOver = () => {
  const { states, nav } = useTexts();
  const email = useMe().data?.value.auth[0]?.email ?? '';
  return (
    <Modal
      opened
      onClose={leave}
      title={states.ended}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Paragraph>{states.endedAdvice}</Paragraph>
        <SignInForm email={email} />
        <Action look="quiet" onPress={leave}>
          {nav.signOut}
        </Action>
      </Stack>
    </Modal>
  );
};
