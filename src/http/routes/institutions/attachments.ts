// The attachment of users to institutions and unities, which are endpoints 16 and 17 of the contract, and its end.
import { z } from 'zod';
import { presentInstitutions } from '../../../commands/attachment-names.js';
import { type CommandContext, PreconditionFailed } from '../../../commands/context.js';
import type { Outcome } from '../../../commands/handle-command.js';
import { institutionNamed, unityNamed, usersMustExist } from '../../../commands/references.js';
import type { Of } from '../../../domain/decider.js';
import { DomainError } from '../../../domain/errors.js';
import { uuid } from '../../../domain/fields.js';
import { rule, uniqueValues } from '../../../domain/rules.js';
import { type User, UserFields } from '../../../domain/user/state.js';
import { user, type userCommands } from '../../../domain/user/user.js';
import { readEach } from '../../../infrastructure/turns.js';
import { administrators } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { del, post, type Route, type WriteResult } from '../../route/route.js';
import { userResult } from '../users/changed.js';
import { exampleUserId } from '../users/examples.js';

const userIds = z
  .array(uuid())
  .min(1)
  .max(200)
  .superRefine(...uniqueValues);
const AttachedUser = z
  .object({ userId: uuid(), userIds })
  .partial()
  .superRefine(
    ...rule((value, refuse) => {
      const { userId, userIds } = (value ?? {}) as { userId?: unknown; userIds?: unknown };
      if ((userId === undefined) === (userIds === undefined)) {
        refuse(['userId'], 'one-of', 'must be sent unless userIds is sent: send exactly one of userId and userIds');
      }
    }),
  )
  .meta({ id: 'AttachUsersRequest' });

const AttachedUsers = z.object({ items: z.array(UserFields) }).meta({ id: 'AttachedUsers' });
const Attached = z.union([UserFields, AttachedUsers]).meta({ id: 'Attached' });

const shared = {
  description:
    'Send `userId` for one user, who is returned, or `userIds` for several users, who are returned as `items`. The status is 200 if all users were already attached, and 201 otherwise. If an id is unknown, or a user is erased, no user is attached. If a user is erased while the request runs, `attached` in the 410 response lists the users who were attached. If-Match must contain the ETag of the user.',
  body: AttachedUser,
  example: { userId: exampleUserId },
  responses: { 201: Attached, 200: Attached },
} as const;

const ofDetaching = {
  description:
    'A user who is not attached stays as they are, and nothing is recorded. If-Match must contain the ETag of the user.',
  responses: { 200: UserFields },
  refuses: ['institution-not-found', 'user-not-found', 'user-erased'],
} as const;

export const attachmentRoutes = (app: RouteContext): readonly Route[] => [
  post('/institutions/{id}/users', {
    access: { who: administrators, personal: true },
    name: 'attachUsersToInstitution',
    summary: 'Attaches one or more users to an institution',
    ...shared,
    refuses: ['institution-not-found', 'user-erased'],
    handle: async ({ params: { id }, body, by }) => {
      const { name } = await institutionNamed(app.streams, id);
      return attach(app, { type: 'AttachToInstitution', data: { institutionId: id, name } }, { body, by });
    },
  }),
  post('/institutions/{id}/unities/{unityId}/users', {
    access: { who: administrators, personal: true },
    name: 'attachUsersToUnity',
    summary: 'Attaches one or more users to a unity and to its institution',
    ...shared,
    refuses: ['institution-not-found', 'unity-not-found', 'user-erased'],
    handle: async ({ params: { id, unityId }, body, by }) => {
      const { institution, unity } = await unityNamed(app.streams, id, unityId);
      const data = { institutionId: id, institutionName: institution.name, unityId, name: unity.name };
      return attach(app, { type: 'AttachToUnity', data }, { body, by });
    },
  }),
  del('/institutions/{id}/users/{userId}', {
    access: { who: administrators, personal: true },
    name: 'detachUserFromInstitution',
    summary: 'Detaches a user from an institution and from its unities',
    ...ofDetaching,
    handle: async ({ params: { id, userId }, by }) => {
      await institutionNamed(app.streams, id);
      return detach(app, userId, { type: 'DetachFromInstitution', data: { institutionId: id } }, by);
    },
  }),
  del('/institutions/{id}/unities/{unityId}/users/{userId}', {
    access: { who: administrators, personal: true },
    name: 'detachUserFromUnity',
    summary: 'Detaches a user from a unity, but not from its institution',
    ...ofDetaching,
    refuses: [...ofDetaching.refuses, 'unity-not-found'],
    handle: async ({ params: { id, unityId, userId }, by }) => {
      await unityNamed(app.streams, id, unityId);
      return detach(app, userId, { type: 'DetachFromUnity', data: { institutionId: id, unityId } }, by);
    },
  }),
];

type Commands = Of<typeof userCommands>;

const detach = async (
  { handle, streams }: RouteContext,
  userId: string,
  command: Extract<Commands, { type: `DetachFrom${string}` }>,
  by: CommandContext,
): Promise<WriteResult> => userResult(streams, await handle(user, userId, command, by));

type Attaching = Extract<Commands, { type: `AttachTo${string}` }>;
interface AttachRequest {
  readonly body: z.output<typeof AttachedUser>;
  readonly by: CommandContext;
}

const attach = async (app: RouteContext, command: Attaching, { body, by }: AttachRequest): Promise<WriteResult> => {
  const { userId, userIds = [] } = body;
  if (userId !== undefined) {
    await usersMustExist(app.streams, [{ userId, path: ['userId'] }]);
    const outcome = await app.handle(user, userId, command, by);
    const result = await userResult(app.streams, outcome);
    return { ...result, status: outcome.events.length > 0 ? 201 : 200, location: `/users/${userId}` };
  }
  // Several users have no common ETag.
  if (by.precondition !== undefined && by.precondition !== 'any') throw new PreconditionFailed(-1);
  await usersMustExist(
    app.streams,
    userIds.map((each, index) => ({ userId: each, path: ['userIds', index] })),
  );
  const attempts = userIds.map((each) => app.handle(user, each, command, { ...by, ids: by.ids.part(each) }));
  const outcomes = allAttached(userIds, await Promise.allSettled(attempts));
  const load = presentInstitutions(app.streams);
  const results = await readEach(outcomes, (outcome) => userResult(app.streams, outcome, load));
  return {
    body: `{"items":[${results.map((result) => result.body).join(',')}]}`,
    made: results.map(({ made }) => made),
    position: outcomes
      .map(({ position = '' }) => position)
      .toSorted()
      .at(-1),
    status: outcomes.some(({ events }) => events.length > 0) ? 201 : 200,
  };
};

/** Returns the outcomes if all users were attached. Otherwise throws a failure; if possible, one that may pass. */
const allAttached = (
  userIds: readonly string[],
  settled: readonly PromiseSettledResult<Outcome<User>>[],
): readonly Outcome<User>[] => {
  const failures = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  const isErased = (error: unknown) => error instanceof DomainError && error.code === 'user-erased';
  const failure = failures.find((error) => !isErased(error)) ?? failures[0];
  // The user was erased after the check. What was recorded for others stays, and the response says so.
  if (failure instanceof DomainError && 'userId' in failure.details && isErased(failure)) {
    const attached = userIds.filter((_, index) => settled[index]?.status === 'fulfilled');
    throw new DomainError('user-erased', { userId: failure.details.userId, attached });
  }
  if (failure !== undefined) throw failure;
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
};
