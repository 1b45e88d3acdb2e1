// Lists, page by page.
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { Answer, Behind } from './client.js';

interface PageOfList<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total?: number | undefined;
  readonly behind?: Behind;
}

export interface ListOptions<T> {
  readonly key: QueryKey;
  readonly page: (cursor: string | undefined) => Promise<Answer<PageOfList<T>>>;
  /** How often the list refreshes by itself while its page is visible. Default: never. */
  readonly everyMs?: number;
  /** Whether the list is read only when its page is opened, because the service records each reading. */
  readonly isRecorded?: boolean;
}

/** Returns a list as one query: the items of all pages that were loaded, and how to load the next one. */
export const useList = <T>({ key, page, everyMs, isRecorded }: ListOptions<T>) => {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }): Promise<PageOfList<T>> => {
      const { value, behind } = await page(pageParam);
      return { ...value, ...(behind && { behind }) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...(everyMs && { refetchInterval: everyMs }),
    ...(isRecorded && { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 }),
  });
  const data = query.data && {
    items: query.data.pages.flatMap(({ items }) => items),
    total: query.data.pages[0]?.total,
  };
  const onMore = query.hasNextPage ? () => void query.fetchNextPage() : undefined;
  return { data, error: query.error, refetch: query.refetch, onMore, isLoadingMore: query.isFetchingNextPage };
};
