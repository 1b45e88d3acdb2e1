// Tests when an erasure counts as done.
import { describe, expect, it } from 'vitest';
import { type CommandContext, PreconditionFailed } from '../../src/commands/context.js';
import { meetsPrecondition } from '../../src/commands/handle-command.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { type Erasable, eraseUser } from '../../src/operations/erase-user.js';
import { at } from '../infrastructure/views/support/harness.js';
import { uuidOf } from '../support/specification.js';

const ERASURE = { userId: uuidOf(1), reason: 'asked for', timeoutMs: 0 };
const CONTEXT = { precondition: undefined } as unknown as CommandContext;

/**
 * Returns stores that record the erasure at position 5. `reached`: the position of each generation of the read model of
 * users, undefined if it has folded nothing.
 */
const erasable = (reached: number | readonly (number | undefined)[], flush: Views['flush'] = async () => {}) => {
  const done: string[] = [];
  const noted = (name: string) => async () => {
    done.push(name);
  };
  const state = { status: 'active', fields: {} };
  const on = {
    administrators: { keepOneInErasure: (_: unknown, task: () => unknown) => task() },
    streams: { fresh: async () => ({ state, revision: 3 }) },
    noteErasure: noted('note'),
    auth: { sessions: { endAllOf: noted('sessions') } },
    eraseSecrets: noted('secrets'),
    handle: async (_: unknown, __: unknown, ___: unknown, { precondition }: CommandContext) => {
      // Another request has written in the meantime.
      if (!meetsPrecondition(precondition, 4)) throw new PreconditionFailed(4);
      return { state, revision: 5, position: at(5) };
    },
    outbox: { removeTo: noted('outbox') },
    progress: { reached: async () => true },
    views: {
      checkpoints: async () => [
        { projection: 'protocols', position: at(1) },
        ...[reached].flat().map((n) => ({ projection: 'users', ...(n !== undefined && { position: at(n) }) })),
      ],
      flush: () => flush().then(noted('flush')),
    },
    vault: { flush: async () => {} },
  };
  return { done, on: on as unknown as Erasable };
};

describe('an erasure', () => {
  it('is done when the read models without the person are on stable storage', async () => {
    const { done, on } = erasable(5, async () => {});
    await eraseUser(on, ERASURE, CONTEXT);
    expect(done).toEqual(['note', 'sessions', 'secrets', 'outbox', 'secrets', 'flush']);
  });

  it('is refused before it deletes anything if its precondition fails, and completes otherwise', async () => {
    const { done, on } = erasable(5, async () => {});
    await expect(eraseUser(on, ERASURE, { ...CONTEXT, precondition: [2] })).rejects.toThrow(PreconditionFailed);
    expect(done).toEqual([]);
    await eraseUser(on, ERASURE, { ...CONTEXT, precondition: [3] });
    expect(done.at(-1)).toBe('flush');
  });

  it('is not done if the read models cannot be flushed', async () => {
    const { on } = erasable(5, () => Promise.reject(new Error('no room')));
    await expect(eraseUser(on, ERASURE, CONTEXT)).rejects.toThrow('no room');
  });

  it('is unfinished while a connection keeps the log of a store', async () => {
    const { on } = erasable(5, () => Promise.reject(new StoreUnavailable('the read models', 'the WAL is in use')));
    await expect(eraseUser(on, ERASURE, CONTEXT)).rejects.toMatchObject({ name: 'ErasureUnfinished' });
  });

  it('is not done before the read models have removed the person', async () => {
    const { done, on } = erasable(4, async () => {});
    await expect(eraseUser(on, ERASURE, CONTEXT)).rejects.toMatchObject({ name: 'ErasureUnfinished' });
    expect(done).not.toContain('flush');
  });

  it.each([[[5, 4]], [[4, 5]], [[5, undefined]]])(
    'is not done before every generation of the read model has removed the person: %j',
    async (reached) => {
      const { done, on } = erasable(reached);
      await expect(eraseUser(on, ERASURE, CONTEXT)).rejects.toMatchObject({ name: 'ErasureUnfinished' });
      expect(done).not.toContain('flush');
    },
  );
});
