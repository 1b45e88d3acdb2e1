// The lists of approvals, by the address of the page.
import type { operations } from '../api/schema.js';

type Query = NonNullable<operations['listProfiles']['parameters']['query']>;

/** How often the lists and the open profile look for what is new. */
export const REFRESH_MS = 15_000;

export const TABS = {
  waiting: { search: 'tab=waiting', query: { approvalStatus: 'ANALYSING' } },
  changed: { search: 'tab=changed', query: { changedSinceApproval: 'true' } },
  APPROVED: { search: 'tab=decided&status=APPROVED', query: { approvalStatus: 'APPROVED', sort: '-createdAt' } },
  REJECTED: { search: 'tab=decided&status=REJECTED', query: { approvalStatus: 'REJECTED', sort: '-createdAt' } },
} as const satisfies Readonly<Record<string, { readonly search: string; readonly query: Query }>>;

export type TabName = keyof typeof TABS;
export const tabNames = Object.keys(TABS) as readonly TabName[];

/** Returns the tab of an address. The first tab is open if the address names none. */
export const tabIn = (search: URLSearchParams): TabName => {
  if (search.get('tab') === 'decided') return search.get('status') === 'REJECTED' ? 'REJECTED' : 'APPROVED';
  return search.get('tab') === 'changed' ? 'changed' : 'waiting';
};

interface Item {
  readonly id: string;
}

/** Returns the item on which to go on after a decision: the following one, or the first one that is left. */
export const nextIn = <T extends Item>(items: readonly T[], id: string | undefined): T | undefined => {
  const following = items[items.findIndex((item) => item.id === id) + 1];
  return following ?? items.find((item) => item.id !== id);
};
