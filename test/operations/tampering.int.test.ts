// Tests which changes of the facts file `verify` finds. Each test makes one change without any key.
import { describe, expect, it } from 'vitest';
import { operatorContext } from '../../src/cli/operator.js';
import { commandHandler } from '../../src/commands/handle-command.js';
import { Streams } from '../../src/commands/streams.js';
import { unguarded } from '../../src/commands/uniqueness.js';
import { auditRead } from '../../src/domain/audit-read.js';
import type { Decider, Of, Schemas } from '../../src/domain/decider.js';
import { protocol } from '../../src/domain/protocol/decide.js';
import { protocolCommands } from '../../src/domain/protocol/schemas.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { openSealed } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { fileStores } from '../support/opened-stores.js';
import { uuidOf } from '../support/specification.js';
import { damage } from './support/stores.js';
import { surveyed } from './support/surveyed.js';

const ADMINISTRATOR = { id: uuidOf(1), roles: ['ADMINISTRATOR'] };

/** Records a user with decisions, a questionnaire and a read of the audit trail. Returns the streams. */
const recorded = async (directory: string) => {
  const { facts } = openSealed(directory, fileStores(directory));
  const handle = commandHandler(new Streams(facts), unguarded);
  const send = <S, E extends Schemas, C extends Schemas>(decider: Decider<S, E, C>, target: string, command: Of<C>) =>
    handle(decider, target, command, { ...operatorContext(), actor: ADMINISTRATOR, origin: 'https://desk.example' });
  const registration = {
    ...{ firstName: 'Ana', lastName: 'Souza', email: 'ana@example.org', acceptedTerms: true },
    profiles: [{ documentDoctor: 'CRM 1' }, { documentDoctor: 'COREN 2', type: 'NURSE' }, {}],
  };
  const data = userCommands.RegisterUser.parse(registration);
  const { id, state } = await send(user, 'new', { type: 'RegisterUser', data });
  const profiles = state.status === 'active' ? state.fields.profiles.map((profile) => profile.id) : [];
  const [one = '', two = '', three = ''] = profiles;
  // Revisions 4 to 6. The last revision has nothing sealed.
  await send(user, id, { type: 'RejectProfile', data: { profileId: one, reason: 'Not on the register' } });
  await send(user, id, { type: 'ApproveProfile', data: { profileId: two, reason: 'Checked' } });
  await send(user, id, { type: 'RejectProfile', data: { profileId: three, reason: null } });
  const questionnaire = protocolCommands.CreateQuestionnaire.parse({
    ...{ institutionId: uuidOf(2), name: 'Pain', prompt: null },
    questions: [{ questionText: 'Where?', responseType: 'SELECT', options: [{ optionText: 'Head', score: 1 }] }],
    scoreRanges: [],
  });
  const made = await send(protocol, 'new', { type: 'CreateQuestionnaire', data: questionnaire });
  const reading = await send(auditRead, 'new', { type: 'RecordAuditRead', data: { what: 'events', filter: {} } });
  return { user: `user-${id}`, protocol: `protocol-${made.id}`, reading: `auditRead-${reading.id}`, id };
};

type Streamed = Awaited<ReturnType<typeof recorded>>;

/** Records a log, makes the change, and returns the checks that find a fault. */
const faultyAfter = async (change: (streams: Streamed) => string): Promise<readonly string[]> => {
  const directory = temporaryDirectory();
  damage(directory, change(await recorded(directory)));
  const stores = openSealed(directory, fileStores(directory));
  const results = [];
  for (const name of ['sealed', 'events', 'streams'] as const) {
    results.push({ name, ...(await surveyed(name, stores)) });
  }
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
};

/** Returns the statement that sets columns of an event. */
const event = (stream: string, revision: number, change: string): string =>
  `UPDATE events SET ${change} WHERE stream = '${stream}' AND revision = ${revision}`;
const metadata = (path: string, value: string) => `metadata = json_set(metadata, '$.${path}', ${value})`;
const data = (path: string, value: string) => `data = json_set(data, '$.${path}', ${value})`;
const sealedOf = (stream: string, revision: number) =>
  `(SELECT data ->> 'sealed' FROM events WHERE stream = '${stream}' AND revision = ${revision})`;
const appended = (stream: string, revision: number, type: string, payload: string) =>
  `INSERT INTO events (stream, revision, id, type, data, metadata)
   SELECT stream, ${revision}, '${uuidOf(9)}', '${type}', ${payload}, metadata FROM events
   WHERE stream = '${stream}' AND revision = ${revision - 1}`;
const SEALED_AT = `instr(data, '"sealed":"')`;
const ALTERED = `CASE substr(data, ${SEALED_AT} + 50, 1) WHEN 'A' THEN 'B' ELSE 'A' END`;
const profileOf = (stream: string, revision: number) =>
  `(SELECT data ->> 'profileId' FROM events WHERE stream = '${stream}' AND revision = ${revision})`;

describe('verify, after one change in the facts', () => {
  it('finds nothing without a change', async () => expect(await faultyAfter(() => '')).toEqual([]));

  it.each<[string, (streams: Streamed) => string, readonly string[]]>([
    ['the actor of a decision with a reason', ({ user }) => event(user, 5, metadata('actor.id', "'x'")), ['sealed']],
    ['the roles of its actor', ({ user }) => event(user, 5, metadata('actor.roles', 'json_array()')), ['sealed']],
    ['its origin', ({ user }) => event(user, 5, metadata('origin', "'https://evil.example'")), ['sealed']],
    ['its correlation id', ({ user }) => event(user, 5, metadata('correlationId', "'x'")), ['sealed']],
    ['its id', ({ user }) => event(user, 5, `id = '${uuidOf(9)}'`), ['sealed']],
    ['its time', ({ user }) => event(user, 5, metadata('at', "'2999-01-01T00:00:00.000Z'")), ['sealed', 'streams']],
    ['a rejection that became an approval', ({ user }) => event(user, 4, "type = 'UserProfileApproved'"), ['sealed']],
    [
      'the type of a profile with a registration',
      ({ user }) => event(user, 1, data('type', "'ADMINISTRATOR'")),
      ['sealed'],
    ],
    ['a member added to a payload', ({ user }) => event(user, 1, data('more', '1')), ['sealed']],
    [
      'one character of the sealed fields',
      ({ user }) =>
        event(user, 0, `data = substr(data, 1, ${SEALED_AT} + 49) || ${ALTERED} || substr(data, ${SEALED_AT} + 51)`),
      ['sealed'],
    ],
    ['a digest', ({ user }) => event(user, 5, data('digests."/reason"', "'x'")), ['sealed']],
    ['sealed fields from another event', ({ user }) => event(user, 5, data('sealed', sealedOf(user, 4))), ['sealed']],
    ['removed sealed fields', ({ user }) => event(user, 5, "data = json_remove(data, '$.sealed')"), ['sealed']],
    [
      'sealed fields of a registration, removed with their digests',
      ({ user }) => event(user, 0, "data = json_remove(data, '$.sealed', '$.digests')"),
      ['sealed'],
    ],
    [
      'plain values instead of sealed fields',
      ({ user }) => event(user, 0, "data = json_set(json_remove(data, '$.sealed', '$.digests'), '$.firstName', 'Eva')"),
      ['sealed'],
    ],
    ['a plain value beside sealed fields', ({ user }) => event(user, 0, data('firstName', "'Eva'")), ['sealed']],
    [
      'two swapped decisions',
      ({ user }) =>
        `${event(user, 4, 'revision = 99')}; ${event(user, 5, 'revision = 4')}; ${event(user, 99, 'revision = 5')}`,
      ['sealed', 'streams'],
    ],
    [
      'a removed decision with the later revisions renumbered',
      ({ user }) => `DELETE FROM events WHERE stream = '${user}' AND revision = 4; ${event(user, 5, 'revision = 4')};
         ${event(user, 6, 'revision = 5')}`,
      ['sealed'],
    ],
    ['an unknown type', ({ user }) => event(user, 6, "type = 'UserPromoted'"), ['events']],
    ['a type of another aggregate', ({ user }) => event(user, 6, "type = 'SpecialtyCreated'"), ['events']],
    ['an unknown schema version', ({ reading }) => event(reading, 0, metadata('schemaVersion', '9')), ['events']],
    ['a payload that does not fit its type', ({ reading }) => event(reading, 0, data('what', "'all'")), ['events']],
    ['a time that goes back', ({ user }) => event(user, 6, metadata('at', "'1999-01-01T00:00:00.000Z'")), ['streams']],
  ])('finds %s', async (_, statement, found) => expect(await faultyAfter(statement)).toEqual(found));

  // Only the signed log reveals these (docs/audit-log.md).
  it.each<[string, (streams: Streamed) => string]>([
    ['the actor of a decision without a reason', ({ user }) => event(user, 6, metadata('actor.id', "'x'"))],
    [
      'a rejection without a reason that became an approval',
      ({ user }) => event(user, 6, "type = 'UserProfileApproved'"),
    ],
    [
      'an appended decision without a reason',
      ({ user }) =>
        appended(user, 7, 'UserProfileApproved', `json_object('profileId', ${profileOf(user, 1)}, 'reason', NULL)`),
    ],
    [
      'a reason removed with its digest and its sealed value',
      ({ user }) => event(user, 5, "data = json_remove(data, '$.sealed', '$.digests')"),
    ],
    ["a user's decision on the user's own profile", ({ user, id }) => event(user, 6, metadata('actor.id', `'${id}'`))],
    ['a decision on a profile that does not exist', ({ user }) => event(user, 6, data('profileId', `'${uuidOf(9)}'`))],
    ['a score', ({ protocol }) => event(protocol, 1, data('questions[0].options[0].score', '9'))],
    [
      'the removed last event of a stream',
      ({ user }) => `DELETE FROM events WHERE stream = '${user}' AND revision = 6`,
    ],
    ['a removed stream', ({ reading }) => `DELETE FROM events WHERE stream = '${reading}'`],
  ])('does not find %s', async (_, statement) => expect(await faultyAfter(statement)).toEqual([]));
});
