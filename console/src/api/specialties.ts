// The names of specialties. Profiles have few of them, and the names seldom change, so each is read once.
import { useQueries } from '@tanstack/react-query';
import { answerOf, api } from './client.js';

/** Returns a function that names a specialty. A specialty whose name is not known has its id. */
export const useSpecialtyNames = (ids: readonly string[]): ((id: string) => string) => {
  const queries = useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['specialties', id],
      queryFn: () => answerOf(api.GET('/specialties/{id}', { params: { path: { id } } })),
      staleTime: 600_000,
    })),
  });
  const isReading = queries.some(({ isPending }) => isPending);
  return (id) => queries.find(({ data }) => data?.value.id === id)?.data?.value.name ?? (isReading ? '…' : id);
};
