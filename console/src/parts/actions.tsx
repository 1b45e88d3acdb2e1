// What a reader can press: actions, links that look like actions, and the question before what cannot be undone.
import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { useTexts } from '../texts/language.js';

interface ActionProps {
  readonly children: ReactNode;
  readonly onPress?: () => void;
  readonly isBusy?: boolean;
  /** `main`: what most readers came for, at most one in a form. */
  readonly look?: 'main' | 'plain' | 'quiet' | 'danger';
  /** Whether the action sends the form around it. */
  readonly sends?: boolean;
}

const LOOKS = {
  main: { variant: 'filled' },
  plain: { variant: 'default' },
  quiet: { variant: 'subtle' },
  danger: { variant: 'outline', color: 'var(--status-rejected)' },
} as const;

export const Action = ({ children, onPress, isBusy = false, look = 'plain', sends = false }: ActionProps) => (
  <Button {...LOOKS[look]} type={sends ? 'submit' : 'button'} loading={isBusy} {...(onPress && { onClick: onPress })}>
    {children}
  </Button>
);

/** A link to a page of the console. */
export const LinkTo = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => (
  <Anchor component={Link} to={to} underline="always">
    {children}
  </Anchor>
);

/** A link to what is no page of the console. */
export const LinkOut = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Anchor href={href} underline="always">
    {children}
  </Anchor>
);

interface ConfirmedProps extends Omit<ActionProps, 'onPress'> {
  /** The question, and what will be gone. */
  readonly question: string;
  readonly consequence: string;
  readonly onConfirm: () => void;
}

/** An action that asks once before it begins. */
export const ConfirmedAction = ({ question, consequence, onConfirm, ...action }: ConfirmedProps) => {
  const { actions } = useTexts();
  const [isAsking, setAsking] = useState(false);
  const confirm = () => {
    setAsking(false);
    onConfirm();
  };
  return (
    <>
      <Action {...action} onPress={() => setAsking(true)} />
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={question}
        closeButtonProps={{ 'aria-label': actions.close }}
      >
        <Stack>
          <Text>{consequence}</Text>
          <Group>
            <Action look="danger" onPress={confirm}>
              {action.children}
            </Action>
            <Action onPress={() => setAsking(false)}>{actions.cancel}</Action>
          </Group>
        </Stack>
      </Modal>
    </>
  );
};
