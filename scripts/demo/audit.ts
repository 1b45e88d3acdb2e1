// Shows what auditors read: the history of a profile, a profile at an earlier time, the audit trail, and an erased
// person.
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { profileOf } from './approval.js';
import { call, callForLines, chapter, say, short, table } from './client.js';
import { type Doctor, type Profile, validate } from './doctors.js';

interface Step {
  readonly type: string;
  readonly at: string;
  readonly actor: { readonly id: string };
  readonly origin: string | null;
  readonly reason: string | null;
  readonly before: Profile | null;
  readonly after: Profile | null;
}
interface Entry {
  readonly position: string;
  readonly at: string;
  readonly type: string;
  readonly stream: string;
  readonly actor: { readonly id: string };
  readonly data: object;
}

const MINUTE_MS = 60_000;
const LAST = 8;

/** Shows the history of a profile as a table, and the profile a millisecond before a decision. */
export const playHistory = async (doctor: Doctor, decidedAt: string): Promise<void> => {
  chapter(`The history of ${doctor.firstName}'s profile`);
  await showHistory(doctor);

  chapter('The same profile a millisecond before the first decision');
  const before = new Date(Date.parse(decidedAt) - 1).toISOString();
  const then = await call<Profile>('GET', `${profileOf(doctor)}?asOf=${before}`);
  const now = await call<Profile>('GET', profileOf(doctor));
  for (const [when, { approvalStatus, documentDoctor }] of [
    [before, then],
    ['now', now],
  ] as const) {
    say(`  ${when.padEnd(24)}  ${approvalStatus}, registration ${documentDoctor}`);
  }
};

const showHistory = async (doctor: Doctor): Promise<void> => {
  const { items } = await call<{ items: readonly Step[] }>('GET', `${profileOf(doctor)}/history`);
  const state = (profile: Profile | null) => profile?.approvalStatus ?? '-';
  const rows = items.map(({ type, at, actor, origin, reason, before, after }) => [
    at,
    type,
    `${actor.id}${origin === null ? '' : `, ${new URL(origin).host}`}`,
    reason ?? '-',
    `${state(before)} → ${state(after)}`,
    after?.documentDoctor ?? '-',
  ]);
  table(['when', 'what', 'who, from where', 'reason', 'before → after', 'registration'], rows);
};

/** Shows the log of the last minute, and the events that record reads of the audit trail. */
export const playTrail = async (): Promise<void> => {
  chapter('The audit trail of the last minute');
  const from = new Date(Date.now() - MINUTE_MS).toISOString();
  const entries = await callForLines<Entry>(`/audit/events?from=${from}`);
  const columns = ['when', 'what', 'stream', 'by'];
  const rowOf = ({ at, type, stream, actor }: Entry) => [at, type, stream, actor.id];
  say(`  the last ${Math.min(LAST, entries.length)} of ${entries.length}:`);
  table(columns, entries.slice(-LAST).map(rowOf), 60);
  const position = entries.at(-1)?.position;
  say(`\n  after position ${position}: the read of the trail is recorded, too`);
  const since = await callForLines<Entry>(`/audit/events?after=${position}`);
  for (const { at, type, data } of since) say(`    ${at}  ${type}  ${short(data)}`);
};

/** Erases a person. The log stays unchanged, and the history still shows the decisions. */
export const playErasure = async (doctor: Doctor, sealed: Facts | undefined): Promise<void> => {
  chapter(`${doctor.firstName} is erased`);
  const before = await registration(sealed, doctor);
  if (before !== undefined) say(`  sealed in the log before  ${short(before, 80)}`);
  const body = { reason: 'Requested by the person.' };
  await call('DELETE', `/users/${doctor.id}/personal-data`, { body });
  const after = await registration(sealed, doctor);
  const verdict = after === before ? 'the same: only the key that decrypts it was deleted' : 'CHANGED';
  if (after !== undefined) say(`  sealed in the log after   ${verdict}`);
  await call('GET', `/users/${doctor.id}`);
  say('  the document is free again:');
  await validate(doctor.document);
  say('\n  the history still says what was decided, when and by whom:');
  await showHistory(doctor);
};

/** Returns the encrypted personal fields of a doctor's first event, as the log holds them. */
const registration = async (sealed: Facts | undefined, { id }: Doctor): Promise<unknown> => {
  if (sealed === undefined) return undefined;
  for await (const { data } of sealed.readStream(`user-${id}`)) return (data as { sealed?: string }).sealed;
  return undefined;
};
