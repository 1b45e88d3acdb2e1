// What a reader can press: actions, and links.
import { Anchor, Button } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { Link } from 'react-router';

interface ActionProps {
  readonly children: ReactNode;
  readonly onPress?: (event: MouseEvent) => void;
  readonly isBusy?: boolean;
  /** Whether the action looks as if it did nothing, for a moment. It keeps the focus. */
  readonly isResting?: boolean;
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

export const Action = ({
  children,
  onPress,
  isBusy = false,
  isResting = false,
  look = 'plain',
  sends = false,
}: ActionProps) => (
  <Button
    {...LOOKS[look]}
    type={sends ? 'submit' : 'button'}
    loading={isBusy}
    {...(isResting && { 'aria-disabled': true, 'data-disabled': true })}
    {...(onPress && { onClick: onPress })}
  >
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
