// The user who is signed in.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerOf, api } from './client.js';
import type { components } from './schema.js';
import { currentToken, renew, useSession } from './session.js';

const DECISION_MS = 15_000;

export const meKey = (userId: string) => ['users', userId] as const;

/** Returns the query of the own user. `isWatched`: whether it refreshes while a profile waits for a decision. */
export const useMe = (isWatched = false) => {
  const session = useSession();
  const userId = 'who' in session ? session.who.userId : undefined;
  return useQuery({
    queryKey: meKey(userId ?? ''),
    queryFn: () => answerOf(api.GET('/users/{id}', { params: { path: { id: userId ?? '' } } })),
    enabled: userId !== undefined,
    refetchInterval: ({ state: { data } }) => isWatched && data?.value.profiles.some(isWaiting) === true && DECISION_MS,
  });
};

type Profile = components['schemas']['UserProfile'];

const isWaiting = ({ approvalStatus }: Profile): boolean => approvalStatus === 'ANALYSING';

/**
 * Watches for decisions on the own profiles, and renews the token after a role was given or taken. The frame does it once
 * for all pages.
 */
export const useDecisions = (): void => {
  const session = useSession();
  const profiles = useMe(true).data?.value.profiles;
  const approved = profiles?.filter(({ approvalStatus }) => approvalStatus === 'APPROVED');
  const roles = approved && [...new Set(approved.map(({ type }) => type))].sort().join();
  const known = 'who' in session ? [...session.who.roles].sort().join() : undefined;
  useEffect(() => {
    // A renewal that fails now is tried again with the next request.
    if (roles !== undefined && roles !== known) void renew(currentToken()).catch(() => undefined);
  }, [roles, known]);
};
