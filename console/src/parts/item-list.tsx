// A list of links to details. The arrow keys move in it, and the address says which item is open.
import { Stack } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';
import { Link } from 'react-router';
import { useTexts } from '../texts/language.js';
import { Action } from './actions.js';

export interface ItemListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The address of the detail of an item. */
  readonly to: (item: T) => string;
  /** The key of the item that is open. */
  readonly open: string | undefined;
  readonly show: (item: T) => ReactNode;
  /** Loads the next page; undefined on the last one. */
  readonly onMore: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

const move = (event: KeyboardEvent<HTMLElement>): void => {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a.item')];
  const now = links.indexOf(document.activeElement as HTMLElement);
  const step = STEPS[event.key];
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? links.length - 1 : step === undefined ? -1 : now + step;
  const link = links[next];
  if (link === undefined) return;
  event.preventDefault();
  link.focus();
};

export const ItemList = <T,>({
  label,
  items,
  keyOf,
  to,
  open,
  show,
  onMore,
  isLoadingMore = false,
}: ItemListProps<T>) => {
  const { actions } = useTexts();
  return (
    <Stack gap="sm">
      <ul aria-label={label} onKeyDown={move} style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {items.map((item) => (
          <li key={keyOf(item)}>
            <Link className="item" to={to(item)} aria-current={keyOf(item) === open ? 'true' : undefined}>
              {show(item)}
            </Link>
          </li>
        ))}
      </ul>
      {onMore && (
        <Action onPress={onMore} isBusy={isLoadingMore}>
          {actions.more}
        </Action>
      )}
    </Stack>
  );
};
