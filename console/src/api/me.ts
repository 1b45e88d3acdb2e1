// The user who is signed in.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerOf, api } from './client.js';
import { currentToken, renew, useSession } from './session.js';

const DECISION_MS = 15_000;

export const meKey = (userId: string) => ['users', userId] as const;

/**
 * Returns the query of the own user. It refreshes while a profile waits for a decision. A role that was given or taken
 * since the sign-in renews the token.
 */
export const useMe = () => {
  const session = useSession();
  const who = 'who' in session ? session.who : undefined;
  const query = useQuery({
    queryKey: meKey(who?.userId ?? ''),
    queryFn: () => answerOf(api.GET('/users/{id}', { params: { path: { id: who?.userId ?? '' } } })),
    enabled: who !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.value.profiles.some(({ approvalStatus }) => approvalStatus === 'ANALYSING') ? DECISION_MS : false,
  });
  const approved = query.data?.value.profiles.filter(({ approvalStatus }) => approvalStatus === 'APPROVED');
  const roles = approved && [...new Set(approved.map(({ type }) => type))].sort().join();
  const known = who && [...who.roles].sort().join();
  useEffect(() => {
    // A renewal that fails now is tried again with the next request.
    if (roles !== undefined && roles !== known) void renew(currentToken()).catch(() => undefined);
  }, [roles, known]);
  return query;
};
