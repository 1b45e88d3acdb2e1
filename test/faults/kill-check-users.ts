// Checks the users after a crash at any moment.
import { expect } from 'vitest';
import { Streams } from '../../src/commands/streams.js';
import type { UserFields } from '../../src/domain/user/state.js';
import { user } from '../../src/domain/user/user.js';
import type { JournalEntry } from './load.js';
import type { Engines } from './sets.js';

/**
 * Expects every acknowledged user to exist once, complete and with the id of the response. A user whose registration
 * has no known outcome exists at most once. No two users have the same e-mail, and every acknowledged approval is
 * recorded.
 */
export const expectUsersSound = async (engines: Engines, journal: readonly JournalEntry[]): Promise<void> => {
  const users = await usersIn(engines);
  const emails = users.map(({ email }) => email);
  expect(new Set(emails).size).toBe(emails.length);
  const registrations = journal.filter(({ kind }) => kind === 'doctor');
  expect(registrations.map(({ token }) => token)).toEqual(expect.arrayContaining(emails));
  expect(users.filter(({ profiles }) => profiles.length !== 1)).toEqual([]);
  const ids = new Map(users.map(({ email, id }) => [email, id]));
  for (const { token, response } of registrations) {
    if (response !== undefined) expect({ token, id: ids.get(token) }).toEqual({ token, id: response.body.id });
  }
  expectApproved(users, journal);
};

const expectApproved = (users: readonly UserFields[], journal: readonly JournalEntry[]): void => {
  const profiles = users.flatMap((each) => each.profiles);
  const statuses = new Map(profiles.map(({ id, approvalStatus }) => [id, approvalStatus]));
  for (const { kind, path, response } of journal) {
    if (kind !== 'approval' || response === undefined) continue;
    expect({ path, status: statuses.get(response.body.id) }).toEqual({ path, status: 'APPROVED' });
  }
};

/** Returns every user of the log, folded from its stream. */
const usersIn = async ({ logged, stores }: Engines): Promise<readonly UserFields[]> => {
  const streams = new Streams(stores().facts);
  const names = new Set(logged().map(({ stream }) => stream));
  const ids = [...names].filter((name) => name.startsWith('user-')).map((name) => name.slice('user-'.length));
  const states = await Promise.all(ids.map((id) => streams.load(user, id)));
  return states.flatMap(({ state }) => (state.status === 'unknown' ? [] : [state.fields]));
};
