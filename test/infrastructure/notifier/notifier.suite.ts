// The guarantees that every engine of the notifier gives.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Message, type Notifier, NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { Final } from '../../../src/infrastructure/work/work.js';

/** A delivered message, as its recipient reads it. */
export type Arrived = Pick<Message, 'id' | 'to' | 'text'>;

/** A notifier and its destination. */
export interface OpenedNotifier {
  readonly notifier: Notifier;
  /** Returns the delivered messages in any order, each id once. */
  arrived(): Promise<readonly Arrived[]>;
  /** Makes the destination refuse every message from now on. A refusal may repeat the message, as real ones do. */
  refuse(how: 'permanently' | 'temporarily'): void;
}

/** A notifier whose destination is on a network. */
export interface OpenedRemoteNotifier extends OpenedNotifier {
  /** Makes the destination accept no message from now on, and not respond. */
  silence(): void;
  /** Stops the destination. */
  close(): Promise<void>;
}

const never = new AbortController().signal;

const newMessage = (): Message => ({
  id: randomUUID(),
  person: 'ana',
  channel: 'EMAIL',
  to: `ana.${randomUUID()}@example.org`,
  subject: 'Confirmação',
  writtenAt: Date.UTC(2026, 10, 5, 12, 30),
  text: 'Olá, o código é 123456 — “uma única vez” 🩺\n\nSe você não pediu, ignore.\n',
});

/** Returns the error of a failed delivery. */
const failureOf = async (sending: Promise<void>): Promise<Error> => {
  const failure: unknown = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure instanceof NotSent || failure instanceof Final).toBe(true);
  return failure as Error;
};

/** Declares the contract of the notifier for the engine that `open` opens until the test ends. */
export const notifierSuite = (engine: string, open: () => Promise<OpenedNotifier>): void => {
  describe(`the notifier through ${engine}`, () => {
    it('delivers each message unchanged', async () => {
      const { notifier, arrived } = await open();
      const messages = Array.from({ length: 5 }, () => newMessage());
      await Promise.all(messages.map((message) => notifier.send(message, never)));
      const got = await arrived();
      expect(got).toHaveLength(messages.length);
      for (const { id, to, text } of messages) expect(got).toContainEqual({ id, to, text });
    });

    it('delivers a message that is sent again under the same id', async () => {
      const { notifier, arrived } = await open();
      const message = newMessage();
      await Promise.all([notifier.send(message, never), notifier.send(message, never)]);
      await notifier.send(message, never);
      expect(await arrived()).toEqual([{ id: message.id, to: message.to, text: message.text }]);
    });

    it.each(['permanently', 'temporarily'] as const)(
      'reports that the destination refused %s, without quoting the message',
      async (how) => {
        const { notifier, arrived, refuse } = await open();
        refuse(how);
        const message = newMessage();
        const { message: text, stack, cause } = await failureOf(notifier.send(message, never));
        for (const part of [message.to, message.text, message.subject, '123456']) {
          expect(`${text} ${stack} ${JSON.stringify(cause)}`).not.toContain(part);
        }
        expect(text.length).toBeGreaterThan(10);
        expect(await arrived()).toEqual([]);
      },
    );

    it('delivers nothing if the signal is already aborted', async () => {
      const { notifier, arrived } = await open();
      await failureOf(notifier.send(newMessage(), AbortSignal.abort()));
      expect(await arrived()).toEqual([]);
    });
  });
};

/** Declares the additional contract of an engine that delivers over a network. */
export const remoteNotifierSuite = (engine: string, open: () => Promise<OpenedRemoteNotifier>): void => {
  notifierSuite(engine, open);

  describe(`the notifier through ${engine}, over a network`, () => {
    it('gives up on a silent destination when its signal aborts', async () => {
      const { notifier, silence } = await open();
      silence();
      const giveUp = new AbortController();
      const failure = failureOf(notifier.send(newMessage(), giveUp.signal));
      giveUp.abort();
      await failure;
    });

    it('reports that the destination refuses connections', async () => {
      const { notifier, close } = await open();
      await close();
      expect((await failureOf(notifier.send(newMessage(), never))).message).toContain('ECONNREFUSED');
    });
  });
};
