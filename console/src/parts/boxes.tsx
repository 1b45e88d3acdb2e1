// Boxes that place things: columns, lines, sections and lists of facts.
import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Children {
  readonly children?: ReactNode;
}

export const Column = ({ children, tight = false }: Children & { readonly tight?: boolean }) => (
  <Stack gap={tight ? 'xs' : 'lg'}>{children}</Stack>
);

/** Places things beside each other, and below each other where the screen is too narrow. */
export const Line = ({ children, apart = false }: Children & { readonly apart?: boolean }) => (
  <Group gap="sm" justify={apart ? 'space-between' : 'flex-start'}>
    {children}
  </Group>
);

/** A part of a page below its own heading. */
export const Section = ({ title, children }: Children & { readonly title: string }) => (
  <section aria-label={title}>
    <Stack gap="sm">
      <Title order={2} size="h3">
        {title}
      </Title>
      {children}
    </Stack>
  </section>
);

/** A list of names and values. A value that is null is shown as a dash. */
export const Facts = ({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="facts">
    {of.map(([name, value]) => (
      <div key={name} style={{ display: 'contents' }}>
        <dt>{name}</dt>
        <dd>{value ?? '–'}</dd>
      </div>
    ))}
  </dl>
);
