// One notifier of several: each channel has its own.
import type { MessageChannel, Notifier } from './notifier.js';

/** Sends each message by the notifier of its channel. */
export const byChannel = (notifiers: Readonly<Record<MessageChannel, Notifier>>): Notifier => ({
  send: (message, signal) => notifiers[message.channel].send(message, signal),
});
