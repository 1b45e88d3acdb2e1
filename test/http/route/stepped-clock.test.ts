// Requests that wait while the clock of the process is set.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refuseOldSignIn } from '../../../src/http/access/access.js';
import { Idempotency } from '../../../src/http/route/idempotency.js';
import type { PersonKeys } from '../../../src/infrastructure/sealed/sealed-text.js';
import { someone } from '../../commands/support/walker.js';
import { intercepted } from '../../projections/support/intercepted.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { steppedClock, steps, stepsBack } from '../../support/stepped-clock.js';

const TURN_MS = 10_000;

describe('a request with an idempotency key whose process ended', () => {
  const open = (vault = new MemoryVault()) =>
    new Idempotency(
      { vault, serviceKey: async () => createSecretKey(Buffer.alloc(32)), personKeys: {} as PersonKeys },
      async () => '',
    );
  const identity = { caller: 'one', method: 'POST', path: '/things', key: 'one', payload: {}, walker: someone() };
  const done = async () => ({ answer: { status: 200, headers: {}, body: '{}' }, made: [] });
  const stays = async () => undefined;
  const never = () => new Promise<never>(() => {});

  it.each(stepsBack)('is taken over after its turn if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const vault = new MemoryVault();
    void open(vault).once(identity, never, stays);
    await pass(0);
    step(ms);
    const other = open(vault);
    const taken = other.once(identity, done, stays);
    await pass(0);
    await pass(TURN_MS);
    const { answer } = await taken.catch(() => other.once(identity, done, stays));
    expect(answer).toMatchObject({ status: 200 });
  });

  it.each(stepsBack)('makes another wait for its turn and no longer if the clock is set %s', async (_, ms) => {
    const { step, pass } = steppedClock();
    const vault = new MemoryVault();
    void open(vault).once(identity, never, stays);
    await pass(0);
    const prolonging = intercepted(vault, async (name, [key], call) => {
      if (name !== 'get' || key === undefined) return call();
      const found = await vault.get<object>(key);
      const workingUntil = Date.now() + TURN_MS;
      return found && { ...found, version: Math.random(), value: { ...found.value, workingUntil } };
    });
    const waiting = open(prolonging)
      .once(identity, done, stays)
      .catch((error: { code: string }) => error.code);
    await pass(0);
    step(ms);
    await pass(TURN_MS);
    expect(await waiting).toBe('request-in-progress');
  });
});

describe('a request that needs a recent sign-in', () => {
  const signedInBefore = (ms: number) => () =>
    refuseOldSignIn(
      { maxAuthAgeS: 300 },
      { userId: '', sessionId: '', roles: [], authTime: (Date.now() - ms) / 1_000 },
    );

  it.each(steps.filter(([, ms]) => Math.abs(ms) > 300_000))('is refused if the clock was set %s since', (_, ms) => {
    expect(signedInBefore(ms)).toThrow('insufficient_user_authentication');
  });

  it.each([-5_000, 0, 299_000])('is accepted after a sign-in of %i ms before', (ms) => {
    expect(signedInBefore(ms)).not.toThrow();
  });
});
