// What every engine of the notifier promises.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Message, type Notifier, NotSent } from '../../src/infrastructure/notifier/notifier.js';

/** What arrived where messages are taken, as its owner reads it. */
export type Arrived = Pick<Message, 'id' | 'to' | 'text'>;

/** A notifier, and the place that it delivers to. */
export interface OpenedNotifier {
  readonly notifier: Notifier;
  /** What has arrived, in any order; what came twice under one id, once. */
  arrived(): Promise<readonly Arrived[]>;
  /** Makes the place refuse everything from now on; each refusal may hold, as real ones do, all of the message. */
  refuse(how: 'permanently' | 'temporarily'): void;
}

/** A notifier whose place is reached over a network. */
export interface OpenedRemoteNotifier extends OpenedNotifier {
  /** Makes the place take no message from now on, and answer nothing. */
  silence(): void;
  /** Makes the place go away. */
  close(): Promise<void>;
}

const never = new AbortController().signal;

const newMessage = (said: Partial<Message> = {}): Message => ({
  id: randomUUID(),
  person: 'ana',
  channel: 'EMAIL',
  to: `ana.${randomUUID()}@example.org`,
  subject: 'Confirmação',
  text: 'Olá, o código é 123456 — “uma única vez” 🩺\n\nSe você não pediu, ignore.\n',
  ...said,
});

/** What a delivery failed with. */
const failureOf = async (sending: Promise<void>): Promise<Error> => {
  const failure: unknown = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(NotSent);
  return failure as Error;
};

/** Declares the contract of the notifier for the engine that `open` opens until the test ends. */
export const notifierSuite = (engine: string, open: () => Promise<OpenedNotifier>): void => {
  describe(`the notifier by ${engine}`, () => {
    it('delivers each message, letter by letter', async () => {
      const { notifier, arrived } = await open();
      const messages = Array.from({ length: 5 }, () => newMessage());
      await Promise.all(messages.map((message) => notifier.send(message, never)));
      const got = await arrived();
      expect(got).toHaveLength(messages.length);
      for (const { id, to, text } of messages) expect(got).toContainEqual({ id, to, text });
    });

    it('delivers a message that comes again under the same id', async () => {
      const { notifier, arrived } = await open();
      const message = newMessage();
      await Promise.all([notifier.send(message, never), notifier.send(message, never)]);
      await notifier.send(message, never);
      expect(await arrived()).toEqual([{ id: message.id, to: message.to, text: message.text }]);
    });

    it.each(['permanently', 'temporarily'] as const)(
      'reports that the place refused %s, without the message',
      async (how) => {
        const { notifier, arrived, refuse } = await open();
        refuse(how);
        const message = newMessage();
        const { message: said, stack, cause } = await failureOf(notifier.send(message, never));
        for (const part of [message.to, message.text, message.subject, '123456']) {
          expect(`${said} ${stack} ${JSON.stringify(cause)}`).not.toContain(part);
        }
        expect(said.length).toBeGreaterThan(10);
        expect(await arrived()).toEqual([]);
      },
    );

    it('delivers nothing that was given up before', async () => {
      const { notifier, arrived } = await open();
      await failureOf(notifier.send(newMessage(), AbortSignal.abort()));
      expect(await arrived()).toEqual([]);
    });
  });
};

/** Declares what an engine promises beside that whose messages go over a network. */
export const remoteNotifierSuite = (engine: string, open: () => Promise<OpenedRemoteNotifier>): void => {
  notifierSuite(engine, open);

  describe(`the notifier by ${engine}, over a network`, () => {
    it('gives up on a silent place when its signal aborts', async () => {
      const { notifier, silence } = await open();
      silence();
      const giveUp = new AbortController();
      const failure = failureOf(notifier.send(newMessage(), giveUp.signal));
      giveUp.abort();
      await failure;
    });

    it('says that nobody is there', async () => {
      const { notifier, close } = await open();
      await close();
      expect((await failureOf(notifier.send(newMessage(), never))).message).toContain('ECONNREFUSED');
    });
  });
};
