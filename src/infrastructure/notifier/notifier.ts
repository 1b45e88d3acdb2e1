// The port for messages to people: short texts by e-mail or SMS.
import { Later } from '../work/work.js';

type MessageChannel = 'EMAIL' | 'SMS';

export interface Message {
  /** The id of the message, the same for every delivery: letters, digits and dashes. */
  readonly id: string;
  readonly channel: MessageChannel;
  /** The id of the receiving user, with whom the message is erased. */
  readonly person: string;
  /** An e-mail address, or a phone number in E.164. */
  readonly to: string;
  /** The subject of an e-mail; other channels ignore it. */
  readonly subject: string;
  readonly text: string;
  /** When the message was written, in epoch milliseconds: the same for every delivery. */
  readonly writtenAt: number;
}

/** Signals that a message was not accepted, or that the outcome is unknown. Contains nothing of the message. */
export class NotSent extends Later {
  override readonly name: string = 'NotSent';
}

/** Signals that no message of this service is accepted until its operator acts. */
export class AllRefused extends NotSent {}

/** Sends messages. A repeated message has the same id, so that the receiver can recognize it. */
export interface Notifier {
  /** Resolves when the message is accepted. Otherwise rejects with `NotSent`, or with `Final` if it was refused permanently. */
  send(message: Message, signal: AbortSignal): Promise<void>;
}

/** Stored messages. They contain contacts and codes, which must not outlive their use. */
export interface Outbox {
  /** Removes the messages that are older than a day. */
  removeOld(): Promise<void>;

  removeTo(person: string): Promise<void>;
}

export const byChannel = (notifiers: Readonly<Record<MessageChannel, Notifier>>): Notifier => ({
  send: (message, signal) => notifiers[message.channel].send(message, signal),
});
