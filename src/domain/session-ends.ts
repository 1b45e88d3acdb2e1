// The events of a user that end all of the user's sessions.
import type { z } from 'zod';
import type { userEvents } from './user/events.js';

type Events = typeof userEvents;

const ENDS: { readonly [T in keyof Events]?: (data: z.infer<Events[T]>) => boolean } = {
  UserRevised: ({ enabled }) => !enabled,
  UserProfileRejected: () => true,
  UserProfileReturnedToAnalysis: () => true,
  UserSignInEmailChanged: ({ by }) => by === 'operator',
  UserPasswordChanged: () => true,
  UserErased: () => true,
};

/** Returns whether an event of a user ends all earlier sessions of the user. */
export const endsSessions = ({ type, data }: { readonly type: string; readonly data: unknown }): boolean =>
  (Object.hasOwn(ENDS, type) && ENDS[type as keyof Events]?.(data as never)) || false;
