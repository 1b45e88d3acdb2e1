import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Idempotency, type StoredAnswer } from '../../src/http/idempotency.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';

const identity = { caller: 'anonymous', method: 'POST', path: '/users', key: 'once', payload: { name: 'Ana' } };
const answerOf = (subject?: string): StoredAnswer => ({
  status: 201,
  headers: {},
  body: '{"firstName":"Ana"}',
  ...(subject !== undefined && { subject }),
});

const opened = () => {
  const vault = new SqliteVault(temporaryDirectory());
  onTestFinished(() => vault.close());
  return { vault, idempotency: new Idempotency(vault) };
};

describe('a stored answer that holds the data of a person', () => {
  it('goes with the other secrets of the person', async () => {
    const { vault, idempotency } = opened();
    const [person, other] = [randomUUID(), randomUUID()];
    await idempotency.once(identity, async () => answerOf(person));
    await idempotency.once({ ...identity, key: 'other' }, async () => answerOf(other));
    const again = async (key: string) =>
      (await idempotency.once({ ...identity, key }, async () => answerOf())).replayed;
    expect(await again('once')).toBe(true);
    expect(await vault.ofSubject('idempotency', person)).toHaveLength(1);
    expect(await vault.removeSubject(person)).toBe(1);
    expect(await again('once')).toBe(false);
    expect(await again('other')).toBe(true);
  });

  it('is the only kind that belongs to somebody', async () => {
    const { vault, idempotency } = opened();
    await idempotency.once(identity, async () => answerOf());
    expect(await vault.removeSubject('undefined')).toBe(0);
    const { answer, replayed } = await idempotency.once(identity, async () => answerOf());
    expect({ answer, replayed }).toEqual({ answer: answerOf(), replayed: true });
  });
});
