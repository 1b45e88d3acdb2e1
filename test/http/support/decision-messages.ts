// The messages about decisions on profiles, which are sent two minutes after the decisions.
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { eventually } from '../../support/eventually.js';

export const MINUTES_2 = 120_000;
/** What a busy machine may take beyond the two minutes. */
export const SLOW = 60_000;

interface Sending {
  readonly outbox: () => readonly Message[];
}

/** Returns the messages about decisions that an address got. Only they have both languages in the subject. */
export const messagesTo = (server: Sending, email: string): readonly Message[] =>
  server.outbox().filter(({ to, subject }) => to === email && subject?.includes(' / '));

/** Calls `assertion` until it succeeds. Rejects if it does not succeed within two minutes and a while. */
export const afterCorrections = (assertion: () => void): Promise<void> => eventually(assertion, MINUTES_2 + SLOW);
