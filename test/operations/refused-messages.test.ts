import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { AllRefused, type Message, NotSent } from '../../src/infrastructure/notifier/notifier.js';
import { Final } from '../../src/infrastructure/work/work.js';
import { notingRefusals, refusedMessages } from '../../src/operations/refused-messages.js';
import { MemoryVault } from '../support/memory-vault.js';

const never = new AbortController().signal;
const messageBy = (channel: Message['channel']): Message => ({
  ...{ id: 'one', channel, person: 'ana', to: 'ana@example.org', subject: '', text: '123456', writtenAt: 0 },
});
const refused = new AllRefused('535');

/** Returns a worker that sends messages, each with the outcome that the test says. */
const workerOn = (vault: Parameters<typeof notingRefusals>[1]) => {
  let outcome: Error | undefined;
  const notifier = notingRefusals(
    {
      send: async () => {
        if (outcome !== undefined) throw outcome;
      },
    },
    vault,
  );
  return async (channel: Message['channel'], next?: Error) => {
    outcome = next;
    return notifier.send(messageBy(channel), never).catch((error: unknown) => error);
  };
};

const setUp = () => {
  const vault = new MemoryVault();
  const source = refusedMessages(vault);
  return {
    send: workerOn(vault),
    elsewhere: workerOn(vault),
    codes: async () => (await source()).map(({ code }) => code),
  };
};

describe('a destination that refuses every message', () => {
  it.each([
    ['EMAIL', 'mail-refused'],
    ['SMS', 'sms-refused'],
  ] as const)('by %s is a fault of every process until a message is accepted', async (channel, code) => {
    const { send, elsewhere, codes } = setUp();
    expect(await codes()).toEqual([]);
    for (const each of [send, elsewhere]) expect(await each(channel, refused)).toBe(refused);
    expect(await codes()).toEqual([code]);
    await send(channel === 'EMAIL' ? 'SMS' : 'EMAIL');
    for (const other of [new NotSent('451'), new Final('550'), refused]) await elsewhere(channel, other);
    expect(await codes()).toEqual([code]);
    expect(await elsewhere(channel)).toBeUndefined();
    expect(await codes()).toEqual([]);
  });

  it('is a fault of its channel only', async () => {
    const { send, codes } = setUp();
    for (const channel of ['SMS', 'EMAIL'] as const) await send(channel, refused);
    expect((await codes()).toSorted()).toEqual(['mail-refused', 'sms-refused']);
  });

  it.each([new NotSent('451'), new Final('550'), new Error('no luck')])(
    'is no fault because of %s',
    async (failure) => {
      const { send, codes } = setUp();
      expect(await send('EMAIL', failure)).toBe(failure);
      expect(await codes()).toEqual([]);
    },
  );

  it('decides nothing about a message while the vault is unavailable', async () => {
    const gone = async () => {
      throw new StoreUnavailable('the vault', new Error('gone'));
    };
    const send = workerOn({ insert: gone, remove: gone });
    expect(await send('EMAIL', refused)).toBe(refused);
    expect(await send('EMAIL')).toBeUndefined();
    expect(await refusedMessages({ getMany: gone })()).toEqual([]);
  });
});
