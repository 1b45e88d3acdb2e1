// The port of what is sent to people: short messages by e-mail or SMS.

/** By what a message is sent. */
export type MessageChannel = 'EMAIL' | 'SMS';

/** A message to one person. */
export interface Message {
  /** The same for every delivery of the message: letters, digits and dashes. */
  readonly id: string;
  readonly channel: MessageChannel;
  /** The id of the user whom it is for, with whom it is erased. */
  readonly person: string;
  /** An e-mail address, or a phone number in E.164. */
  readonly to: string;
  /** Of an e-mail; what has none leaves it out. */
  readonly subject: string;
  readonly text: string;
}

/**
 * A message was not accepted, for good or for now: whoever sends it tries again until it is of no use any more. What it
 * says holds nothing of the message.
 */
export class NotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotSent';
  }
}

/** Sends messages. A message that is sent again goes under the same id, by which whoever takes it can tell. */
export interface Notifier {
  /**
   * Resolves when the message is accepted. Rejects with `NotSent` where it was not, or where that is not known; `signal`
   * gives up on it.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
}

/** Messages that stay where they were sent to: contacts and codes that must not outlive their use. */
export interface Outbox {
  /** Removes the messages that are older than a day. */
  removeOld(): Promise<void>;

  /** Removes the messages to a person. */
  removeTo(person: string): Promise<void>;
}

/** Returns a notifier that sends each message with the notifier of its channel. */
export const byChannel = (notifiers: Readonly<Record<MessageChannel, Notifier>>): Notifier => ({
  send: (message, signal) => notifiers[message.channel].send(message, signal),
});
