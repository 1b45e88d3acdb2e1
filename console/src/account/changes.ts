// What a change of the own data does, and what others changed in the meantime.
import type { Answer } from '../api/client.js';
import type { components } from '../api/schema.js';
import { phoneOf } from '../texts/phones.js';

type User = components['schemas']['User'];

const FIELDS = ['firstName', 'lastName', 'document', 'birthDate', 'gender', 'email', 'phone'] as const;

/** Returns the fields of the person that differ, with their values now. */
export const differencesOf = (before: User, after: User): readonly (readonly [name: string, value: string])[] =>
  FIELDS.filter((name) => shown(before)[name] !== shown(after)[name]).map((name) => [name, shown(after)[name] ?? '–']);

const shown = (user: User) => ({ ...user, phone: phoneOf(user) });

type Change = Omit<Answer<User>, 'etag'>;

// In the order in which a reader learns them.
const CONSEQUENCES = {
  code: (before: User, { value, isMessageWithheld }: Change) => isPending(before, value) && !isMessageWithheld,
  withheld: (before: User, { value, isMessageWithheld }: Change) => isPending(before, value) && isMessageWithheld,
  reapproval: (before: User, { value }: Change) =>
    became(before, value, ({ approvalStatus }) => approvalStatus === 'ANALYSING'),
  review: (before: User, { value }: Change) =>
    became(before, value, ({ changedSinceApproval }) => changedSinceApproval),
};
export type Consequence = keyof typeof CONSEQUENCES;

/** Returns what a change of the own data does beyond the data. */
export const consequencesOf = (before: User, change: Change): readonly Consequence[] =>
  (Object.keys(CONSEQUENCES) as Consequence[]).filter((each) => CONSEQUENCES[each](before, change));

/** Returns whether a new contact address waits for its code. */
const isPending = (before: User, { email, auth }: User): boolean =>
  before.email !== email && email?.toLowerCase() !== auth[0]?.email?.toLowerCase();

type Test = (profile: User['profiles'][number]) => boolean;

const became = (before: User, after: User, test: Test): boolean =>
  after.profiles.filter(test).length > before.profiles.filter(test).length;
