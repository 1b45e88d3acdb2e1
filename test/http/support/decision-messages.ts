// The messages about decisions on profiles, which are sent two minutes after the decisions.
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { MINUTE_MS } from '../../support/clock.js';

export const MINUTES_2 = 2 * MINUTE_MS;

interface Sending {
  readonly outbox: () => readonly Message[];
}

/** Returns the messages about decisions that an address got. Only they have both languages in the subject. */
export const messagesTo = (server: Sending, email: string): readonly Message[] =>
  server.outbox().filter(({ to, subject }) => to === email && subject?.includes(' / '));
