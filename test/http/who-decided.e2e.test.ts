// Who decided and from where: only auditors and administrators see the name, session and address of an actor.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { type Page, successful } from './support/samples.js';
import { claimsOf } from './support/signing-in.js';

const server = serverOfThisFile({ AUTH: 'required' });

interface Step {
  readonly type: string;
  readonly actor: { readonly id: string; readonly roles: readonly string[]; readonly name?: string | null };
  readonly sessionId?: string | null;
  readonly address?: string | null;
  readonly position?: string;
}

let root: Caller;
let auditor: Caller;
beforeAll(async () => {
  root = await newAdministrator(server);
  auditor = await newCaller(server, root, { type: 'AUDITOR' });
});

/** Creates a nurse whom a new administrator approves. */
const decided = async () => {
  const administrator = await newCaller(server, root, { type: 'ADMINISTRATOR' });
  const nurse = await newCaller(server, root, { type: 'NURSE', approved: false });
  await decide(server, administrator, nurse.user, 'approve');
  const path = `/users/${nurse.user.id}/profiles/${first(nurse.user.profiles).id}`;
  return { administrator, nurse, path };
};
const decisionOf = async (path: string, { authorization }: Pick<Caller, 'authorization'>): Promise<Step> => {
  const { items } = successful(await server.get<Page<Step>>(`${path}/history`, authorization)).body;
  const found = items.find(({ type }) => type === 'UserProfileApproved');
  if (found === undefined) throw new Error('the history has no decision');
  return found;
};
const sessionOf = ({ token }: Caller) => claimsOf(token)['sid'];

describe('a decision', () => {
  it('shows auditors and administrators who made it, in which session and from where', async () => {
    const { administrator, path } = await decided();
    for (const reader of [auditor, root]) {
      // The name comes from a read model, which may be behind.
      await eventually(async () =>
        expect(await decisionOf(path, reader)).toMatchObject({
          actor: { id: administrator.user.id, roles: ['ADMINISTRATOR'], name: 'Ana Souza' },
          sessionId: sessionOf(administrator),
          address: '127.0.0.1',
        }),
      );
    }
    const signIns = await server.get<Page<{ data: object }>>(
      `/audit/events?stream=securityLog-${administrator.user.id}&type=SignedIn`,
      auditor.authorization,
    );
    expect(signIns.body.items.map(({ data }) => data)).toMatchObject([{ sessionId: sessionOf(administrator) }]);
  });

  it('shows the user of the profile neither name nor session nor address', async () => {
    const { administrator, nurse, path } = await decided();
    const step = await decisionOf(path, nurse);
    expect(step.actor).toEqual({ id: administrator.user.id, roles: ['ADMINISTRATOR'] });
    for (const hidden of ['sessionId', 'address', 'position']) expect(step).not.toHaveProperty(hidden);
  });

  it('has session and address in every format of the audit trail', async () => {
    const { administrator, nurse } = await decided();
    const read = async (accept: string) => {
      const path = `/audit/events?stream=user-${nurse.user.id}&type=UserProfileApproved`;
      return successful(await server.get<unknown>(path, { ...auditor.authorization, Accept: accept })).body;
    };
    const inTrail = { sessionId: sessionOf(administrator), address: '127.0.0.1' };
    expect(await read('application/json')).toMatchObject({ items: [inTrail] });
    expect(JSON.parse(String(await read('application/x-ndjson')))).toMatchObject(inTrail);
    const [event] = (await read('application/cloudevents-batch+json')) as [object];
    expect(event).toMatchObject({ sessionid: inTrail.sessionId, address: inTrail.address });
  });

  it('loses name and address immediately when its actor is erased, and keeps the rest', async () => {
    const { administrator, path } = await decided();
    const target = `/users/${administrator.user.id}/personal-data`;
    successful(await server.send('DELETE', target, { json: { reason: 'asked for' }, headers: root.authorization }));
    expect(await decisionOf(path, auditor)).toMatchObject({
      actor: { id: administrator.user.id, roles: ['ADMINISTRATOR'], name: null },
      sessionId: sessionOf(administrator),
      address: null,
    });
  });

  it('of the operator has no name, session or address', async () => {
    const path = `/users/${root.user.id}/profiles/${first(root.user.profiles).id}`;
    expect(await decisionOf(path, auditor)).toMatchObject({
      actor: { id: 'operator', name: null },
      sessionId: null,
      address: null,
    });
  });
});
