// The profiles that wait for a decision.
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from './client.js';
import { hasRole, useSession } from './session.js';

const WAITING_MS = 30_000;

/** Returns how many profiles wait, and the first one of their list; undefined for readers who may not know. */
export const useWaiting = () => {
  const isAllowed = hasRole(useSession(), 'ADMINISTRATOR');
  const { data } = useQuery({
    queryKey: ['profiles', 'waiting', 'count'],
    queryFn: () =>
      answerOf(api.GET('/profiles', { params: { query: { approvalStatus: 'ANALYSING', total: 'true', limit: 1 } } })),
    enabled: isAllowed,
    refetchInterval: WAITING_MS,
  });
  return isAllowed && data ? { total: data.value.total ?? 0, first: data.value.items[0] } : undefined;
};
