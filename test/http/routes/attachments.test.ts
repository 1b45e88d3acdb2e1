// The attachment of several users, one of whom another process erases after the check.
import { expect, it } from 'vitest';
import { institution } from '../../../src/domain/institution.js';
import { activeUserOf } from '../../../src/domain/user/state.js';
import { user, userCommands } from '../../../src/domain/user/user.js';
import type { RouteContext } from '../../../src/http/route/context.js';
import { attachmentRoutes } from '../../../src/http/routes/institutions/attachments.js';
import { contextOf, processOn } from '../../commands/support/process.js';
import { temporaryDirectory } from '../../support/directory.js';
import { first } from '../../support/items.js';

const newUser = async ({ handle }: Pick<RouteContext, 'handle'>, name: string) => {
  const sent = { firstName: name, lastName: 'X', email: `${name}@example.org`, acceptedTerms: true };
  const command = { type: 'RegisterUser', data: userCommands.RegisterUser.parse(sent) } as const;
  return (await handle(user, 'new', command, contextOf())).id;
};

it('names those who were attached before a user was erased, and attaches nobody twice when it is repeated', async () => {
  const directory = temporaryDirectory();
  const [service, other] = [processOn(directory), processOn(directory)];
  const [erased, attached] = [await newUser(service, 'ana'), await newUser(service, 'bea')];
  const create = institution.commands.CreateInstitution.parse({ name: 'A hospital' });
  const { id } = await service.handle(institution, 'new', { type: 'CreateInstitution', data: create }, contextOf());
  const handle: RouteContext['handle'] = async (decider, target, command, by) => {
    if (target === erased) {
      await other.handle(user, erased, { type: 'EraseUser', data: { reason: 'asked for' } }, contextOf());
    }
    return service.handle(decider, target, command, by);
  };
  const route = first(attachmentRoutes({ streams: service.streams, handle } as RouteContext));
  const attach = () =>
    route.handle({ params: { id }, body: { userIds: [erased, attached] }, by: contextOf() } as never);
  const details = { userId: erased, attached: [attached] };
  await expect(attach()).rejects.toMatchObject({ code: 'user-erased', details });
  const { state, revision } = await other.streams.fresh(user, attached);
  expect(activeUserOf(state).institutions).toEqual([{ id, name: 'A hospital' }]);
  await expect(attach()).rejects.toMatchObject({ code: 'user-erased' });
  expect((await other.streams.fresh(user, attached)).revision).toBe(revision);
});
