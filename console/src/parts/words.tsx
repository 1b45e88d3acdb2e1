// Words with a look: quiet text, moments, and the status of a profile.
import { Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useLanguage, useTexts } from '../texts/language.js';
import { agoIn, momentIn } from '../texts/moments.js';
import { Sign, type SignName } from './signs.js';

export const Quiet = ({ children }: { readonly children: ReactNode }) => (
  <Text component="span" size="sm" c="dimmed">
    {children}
  </Text>
);

/** Words in the colour of a status. */
export const Shaded = ({ as, children }: { readonly as: string; readonly children: ReactNode }) => (
  <Text component="span" fw={600} c={`var(--status-${as})`}>
    {children}
  </Text>
);

export const Paragraph = ({ children }: { readonly children: ReactNode }) => <Text maw="65ch">{children}</Text>;

/** An instant as people write it. Its title is the exact instant. */
export const Moment = ({ at }: { readonly at: string }) => {
  const language = useLanguage();
  return (
    <time dateTime={at} title={at}>
      {momentIn(language, at)}
    </time>
  );
};

const MINUTE_MS = 60_000;

/** How long ago an instant was. It stays right while the page is open. */
export const Ago = ({ at }: { readonly at: string }) => {
  const language = useLanguage();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={at}>
      {agoIn(language, at, now)}
    </time>
  );
};

const STATUSES = {
  ANALYSING: ['clock', 'waiting'],
  APPROVED: ['check', 'approved'],
  REJECTED: ['cross', 'rejected'],
} as const satisfies Readonly<Record<string, readonly [SignName, string]>>;

export type ProfileStatus = keyof typeof STATUSES;

/** The status of a profile: a sign, a word and a colour. */
export const Status = ({ of }: { readonly of: ProfileStatus }) => {
  const { statuses } = useTexts();
  const [sign, shade] = STATUSES[of];
  return (
    <Shaded as={shade}>
      <Sign name={sign} /> {statuses[of]}
    </Shaded>
  );
};
