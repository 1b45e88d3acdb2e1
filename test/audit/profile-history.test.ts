// The history of a profile contains every decision on it, and nothing else.

import { beforeAll, describe, expect, it } from 'vitest';
import { type ProfileStep, profileHistory } from '../../src/audit/profile-history.js';
import type { CommandContext } from '../../src/commands/context.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { randomIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import type { Of } from '../../src/domain/decider.js';
import { userOf } from '../../src/domain/user/state.js';
import { userCommands as commands, user, type userCommands } from '../../src/domain/user/user.js';
import type { StreamRange } from '../../src/infrastructure/facts/facts.js';
import { MemoryFacts } from '../support/memory-facts.js';

const ADMINISTRATOR = '018f4c3e-0000-7000-8000-0000000000ad';

describe('the history of a profile', () => {
  const facts = new MemoryFacts();
  let minutes = 0;
  const handle = commandHandler(new Streams(facts, () => new Date(Date.UTC(2026, 0, 5, 8, minutes))), unguarded);
  const by = (id: string, roles: readonly string[]): CommandContext => ({
    actor: { id, roles },
    origin: 'https://desk.example',
    correlationId: '0'.repeat(32),
    causationId: 'request',
    ids: randomIds(),
    resumed: false,
  });
  const send = (target: string, command: Of<typeof userCommands>) => {
    minutes += 1;
    return handle(user, target, command, by(ADMINISTRATOR, ['ADMINISTRATOR']));
  };
  const steps = async (ids: { userId: string; profileId: string }, asOf?: string) => {
    const all: ProfileStep[] = [];
    for await (const step of profileHistory(facts, ids, { asOf })) all.push(step);
    return all;
  };
  let userId: string;
  let profileId: string;
  let otherId: string;

  beforeAll(async () => {
    const person = { firstName: 'Ana', lastName: 'Souza', email: 'ana@example.org', acceptedTerms: true };
    const data = commands.RegisterUser.parse({ ...person, profiles: [{ documentDoctor: 'CRM 1' }, { type: 'NURSE' }] });
    const registered = await send('new', { type: 'RegisterUser', data });
    userId = registered.id;
    [profileId = '', otherId = ''] = userOf(registered.state).profiles.map(({ id }) => id);
    await send(userId, { type: 'RejectProfile', data: { profileId, reason: 'The registration has lapsed' } });
    await send(userId, { type: 'ApproveProfile', data: { profileId: otherId, reason: null } });
    await send(userId, { type: 'ResubmitProfile', data: { profileId, documentDoctor: 'CRM 2' } });
    await send(userId, { type: 'ApproveProfile', data: { profileId, reason: null } });
    await send(userId, { type: 'ReviseUser', data: { phone: '11987654321', dialingCode: '55' } });
  });

  it('has every decision with its actor, time, origin and reason, and the profile before and after', async () => {
    const history = await steps({ userId, profileId });
    expect(history.map(({ type, after }) => [type, after?.approvalStatus, after?.enabled])).toEqual([
      ['UserProfileAdded', 'ANALYSING', false],
      ['UserProfileRejected', 'REJECTED', false],
      ['UserProfileResubmitted', 'ANALYSING', false],
      ['UserProfileApproved', 'APPROVED', true],
    ]);
    expect(history[0]?.before).toBeNull();
    for (const [index, step] of history.entries()) expect(step.before).toEqual(history[index - 1]?.after ?? null);
    expect(history[1]).toMatchObject({
      at: '2026-01-05T08:02:00.000Z',
      actor: { id: ADMINISTRATOR, roles: ['ADMINISTRATOR'] },
      origin: 'https://desk.example',
      reason: 'The registration has lapsed',
      revision: 3,
    });
    expect(history[2]?.after?.documentDoctor).toBe('CRM 2');
    expect(history[2]?.reason).toBeNull();
  });

  it('ends at the given time', async () => {
    expect(await steps({ userId, profileId }, '2026-01-05T08:02:30.000Z')).toHaveLength(2);
    expect(await steps({ userId, profileId }, '2026-01-05T07:00:00.000Z')).toEqual([]);
  });

  it('contains only the events of its profile', async () => {
    expect((await steps({ userId, profileId: otherId })).map(({ type }) => type)).toEqual([
      'UserProfileAdded',
      'UserProfileApproved',
    ]);
    expect(await steps({ userId: ADMINISTRATOR, profileId })).toEqual([]);
  });

  it('shows the same later steps if it is read from the first step on', async () => {
    const all = await steps({ userId, profileId });
    const begins: (number | undefined)[] = [];
    const readStream = (stream: string, range?: StreamRange) => {
      begins.push(range?.from);
      return facts.readStream(stream, range);
    };
    const later: ProfileStep[] = [];
    const span = { begin: all[0]?.revision, from: all[2]?.revision };
    for await (const step of profileHistory({ readStream }, { userId, profileId }, span)) later.push(step);
    expect([later, begins]).toEqual([all.slice(2), [1]]);
  });

  it('continues after the person is erased, without the personal fields', async () => {
    await send(userId, { type: 'EraseUser', data: { reason: 'Requested by the person' } });
    const last = (await steps({ userId, profileId })).at(-1);
    expect(last).toMatchObject({ type: 'UserProfileErased', before: { approvalStatus: 'APPROVED' } });
    expect(last?.after).toMatchObject({ documentDoctor: null, enabled: false });
  });
});
