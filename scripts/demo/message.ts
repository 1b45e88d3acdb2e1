// The part of the demo about the message that a person gets after a decision.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';
import { chapter, say } from './client.js';
import type { Doctor } from './people.js';

const OUTBOX = join(process.env['DATA_DIR'] ?? './data', 'outbox');
// The message leaves two minutes after the decision.
const WAIT_MS = 150_000;

const messageTo = ({ email }: Doctor): Message | undefined =>
  readdirSync(OUTBOX)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(OUTBOX, name), 'utf8')) as Message)
    .find(({ to, subject }) => to === email && subject.includes('approved'));

/** Waits for the message about the approval of a doctor, and shows it. `DEMO_MESSAGE=off` skips this part. */
export const playMessage = async (doctor: Doctor): Promise<void> => {
  if (process.env['DEMO_MESSAGE'] === 'off') return;
  chapter(`The message to ${doctor.firstName} about the approval`);
  if (!existsSync(OUTBOX)) return say('  (pass the DATA_DIR of the service to see its outbox)');
  say('  sent two minutes after the decision, so that a slip that is corrected at once reaches nobody …');
  const until = Date.now() + WAIT_MS;
  let message = messageTo(doctor);
  while (message === undefined && Date.now() < until) {
    await pause(500);
    message = messageTo(doctor);
  }
  if (message === undefined)
    throw new Error('no message about the decision is in the outbox: is DECISION_MESSAGES off, or SMTP_URL set?');
  say(`\n  to       ${message.to}\n  subject  ${message.subject}\n`);
  for (const line of message.text.split('\n')) say(`    ${line}`);
};
