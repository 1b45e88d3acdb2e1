// What a page shows instead of its content: a skeleton, a refusal, or what to do next.
import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { isRefused } from '../api/refusal.js';
import { useTexts } from '../texts/language.js';
import { wordsOf } from '../texts/words-of.js';
import { Action } from './actions.js';
import { Sign } from './signs.js';

const PATIENCE_MS = 300;

/** Lines in the shape of a list. They come after a moment, so a fast page does not flicker. */
export const Loading = ({ lines = 5 }: { readonly lines?: number }) => {
  const { states } = useTexts();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <Stack gap="sm" role="status" aria-label={states.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={line} height="1.5rem" width={`${95 - 12 * (line % 3)}%`} />
      ))}
    </Stack>
  );
};

interface NoticeProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly tone?: 'warning' | 'plain';
}

/** A message inside a page. */
export const Notice = ({ title, children, tone = 'plain' }: NoticeProps) => (
  <Alert
    variant="default"
    color="var(--status-waiting)"
    title={title}
    {...(tone === 'warning' && { icon: <Sign name="warning" /> })}
  >
    {children}
  </Alert>
);

interface RefusedProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** `status`: the reader did not ask for what was refused, at least not just now. */
  readonly role?: 'alert' | 'status';
}

/** A refusal in the reader's language. It leaves the focus where it is: a form takes the focus to its refusal. */
export const Refused = ({ error, onRetry, role = 'alert' }: RefusedProps) => {
  const texts = useTexts();
  const { title, advice } = wordsOf(texts, error);
  return (
    <Alert
      role={role}
      tabIndex={-1}
      variant="outline"
      // Somebody else who was faster is no fault.
      color={isRefused(error, 'conflict') ? 'var(--status-waiting)' : 'var(--mantine-color-error)'}
      icon={<Sign name="warning" />}
      title={title}
    >
      <Stack align="flex-start">
        <Text size="sm">{advice}</Text>
        {onRetry && <Action onPress={onRetry}>{texts.actions.retry}</Action>}
      </Stack>
    </Alert>
  );
};

/** Nothing is there yet: says what to do next. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <Stack gap="xs" py="xl">
    <Text fw={600}>{title}</Text>
    {children}
  </Stack>
);

interface AwaitedProps<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/**
 * Shows what a query found, why it failed, or that it is still running. Old data stays if a later request fails, and the
 * frame says so.
 */
export const Awaited = <T,>({ query, lines = 5, children }: AwaitedProps<T>) => {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  return error === null ? <Loading lines={lines} /> : <Refused error={error} onRetry={refetch} role="status" />;
};
