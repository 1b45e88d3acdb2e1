// The port of what is sent to people: short messages by e-mail or SMS.

/** By what a message is sent. */
export type MessageChannel = 'EMAIL' | 'SMS';

/** A message to one person. */
export interface Message {
  /** The same for every delivery of the message: letters, digits and dashes. */
  readonly id: string;
  readonly channel: MessageChannel;
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
