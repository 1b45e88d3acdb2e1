// Shows decisions on profiles: the queue, an approval, a rejection, a resubmission and a reconsideration.
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { call, chapter, say } from './client.js';
import type { Doctor, Profile } from './doctors.js';
import { showEvents } from './events.js';

/** The web origin that sends the decisions. */
const DESK = 'https://desk.hospital.example';

/** Returns the path of the only profile of a doctor. */
export const profileOf = ({ id, profiles }: Doctor): string => `/users/${id}/profiles/${profiles[0]?.id}`;

/** Shows the queue and decides on both doctors. Returns the time of the first decision on the second doctor. */
export const playApproval = async (
  ana: Doctor,
  bruno: Doctor,
  { facts, isSignedIn }: { readonly facts: Facts | undefined; readonly isSignedIn: boolean },
): Promise<string> => {
  await showQueue([ana, bruno]);

  chapter('Ana is approved; Bruno is rejected, resubmits, and is approved in the end');
  const actor = isSignedIn ? 'the actor is the user of the token' : 'no token is sent, so every actor is anonymous';
  say(`  ${actor}; each event records the origin header`);
  await decide(ana, 'approve', 'The registration was checked with the council.');
  say('  a second approval records nothing: the ETag stays the same');
  await decide(ana, 'approve', 'Checked again.');
  const { updatedAt } = await decide(bruno, 'reject', 'The council does not know this number.');
  const body = { documentDoctor: 'CRM/SP 654321', documentDoctorUpdatedAt: '2026-01-31' };
  await call('POST', `${profileOf(bruno)}/resubmit`, { body, origin: 'https://app.hospital.example' });
  await decide(bruno, 'reject', 'The copy cannot be read.');
  await decide(bruno, 'approve', 'Reconsidered: the council confirmed the number by telephone.');
  await showEvents(facts, `user-${bruno.id}`);
  return updatedAt;
};

const decide = (doctor: Doctor, decision: 'approve' | 'reject', reason: string): Promise<Profile> =>
  call<Profile>('PATCH', `${profileOf(doctor)}/${decision}`, { body: { reason }, origin: DESK });

const showQueue = async (doctors: readonly Doctor[]): Promise<void> => {
  chapter('The approval queue, oldest first');
  const waiting: Profile[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const from: string = cursor === undefined ? '' : `&cursor=${cursor}`;
    const path = `/profiles?approvalStatus=ANALYSING&limit=200${from}`;
    const page = await call<{ items: readonly Profile[]; nextCursor: string | null }>('GET', path);
    waiting.push(...page.items);
    cursor = page.nextCursor;
  }
  for (const { id, profiles, firstName } of doctors) {
    const place = waiting.findIndex((profile) => profile.userId === id && profile.id === profiles[0]?.id);
    say(`  ${firstName} is number ${place + 1} of ${waiting.length}`);
  }
};
