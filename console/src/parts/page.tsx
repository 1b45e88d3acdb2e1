// The frame of a page: its heading, which gets the focus when the page is opened, and its title in the browser.
import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../texts/language.js';

export interface PageProps {
  readonly title: string;
  readonly intro?: ReactNode;
  /** What stands at the right of the heading. */
  readonly aside?: ReactNode;
  /** Whether the page is one narrow column, as forms are. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

export const Page = ({ title, intro, aside, isNarrow = false, children }: PageProps) => {
  const { service } = useTexts();
  useEffect(() => {
    document.title = `${title} · ${service}`;
  }, [title, service]);
  return (
    <Stack gap="lg" {...(isNarrow && { maw: '30rem' })}>
      <Group justify="space-between" align="baseline">
        <Heading order={1}>{title}</Heading>
        {aside}
      </Group>
      {intro !== undefined && <Text maw="65ch">{intro}</Text>}
      {children}
    </Stack>
  );
};

// Where the focus of a reader waits who has just opened a detail.
const WAITING = 'body, h1, [aria-current], .mantine-Notifications-root *';

/**
 * The heading of a page, or of a detail beside its list. It gets the focus when it appears, unless the reader has gone
 * elsewhere since they opened the detail.
 */
export const Heading = ({ order, children }: { readonly order: 1 | 2; readonly children: ReactNode }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (order === 1 || (document.activeElement?.matches(WAITING) ?? true)) heading.current?.focus();
  }, [order]);
  return (
    <Title order={order} size={order === 1 ? 'h2' : 'h3'} ref={heading} tabIndex={-1}>
      {children}
    </Title>
  );
};
