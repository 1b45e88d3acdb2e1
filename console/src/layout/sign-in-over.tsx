// The sign-in over a page whose session has ended. The page below keeps what the reader typed.
import { Modal, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { SignInForm } from '../account/sign-in-form.js';
import { useMe } from '../api/me.js';
import { leave } from '../api/session.js';
import { Action } from '../parts/actions.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

// A refresh may find the end of the session while the reader types. Their own change waits for a response instead.
const isTyping = (): boolean =>
  document.activeElement?.matches('input, textarea, select') === true && !document.querySelector('[data-loading]');

/** The dialog takes the focus when it appears, or with the next Tab or click of a reader who types. */
export const SignInOver = () => {
  const { states, nav } = useTexts();
  const [isElsewhere, setElsewhere] = useState(isTyping);
  useEffect(() => {
    const enter = ({ key }: KeyboardEvent) => key === 'Tab' && setElsewhere(false);
    window.addEventListener('keydown', enter);
    return () => window.removeEventListener('keydown', enter);
  }, []);
  const email = useMe().data?.value.auth[0]?.email ?? '';
  return (
    <Modal
      opened
      trapFocus={!isElsewhere}
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
