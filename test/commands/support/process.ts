// A process of the service that handles commands, and ends of processes in the middle of a command.
import { Claims } from '../../../src/commands/claims.js';
import type { CommandContext } from '../../../src/commands/context.js';
import { commandHandler } from '../../../src/commands/handle-command.js';
import { randomIds } from '../../../src/commands/ids.js';
import { Streams } from '../../../src/commands/streams.js';
import { type AppendGuard, uniquenessGuard } from '../../../src/commands/uniqueness.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { AllStores } from '../../../src/infrastructure/stores.js';
import { openSealed } from '../../infrastructure/persons/support/harness.js';
import type { OpenedStores } from '../../support/opened-stores.js';
import { sharedKey } from './shared-key.js';

interface Options {
  readonly around?: (
    guard: AppendGuard,
    process: Pick<AllStores, 'vault'> & { readonly streams: Streams },
  ) => AppendGuard;
  /** Returns epoch milliseconds. */
  readonly now?: () => number;
  readonly stores?: OpenedStores;
}

/** Starts a process with its own memory on the stores of a directory, which it may share with other processes. */
export const processOn = (directory: string, { around = (guard) => guard, now = Date.now, stores }: Options = {}) => {
  const opened = openSealed(directory, stores);
  const streams = new Streams(opened.facts);
  const claims = new Claims(opened.vault, sharedKey, now);
  const handle = commandHandler(streams, around(uniquenessGuard(streams, claims), { streams, vault: opened.vault }));
  return { ...opened, streams, claims, handle };
};

/** Ends a process right before or right after its append. */
export const killed =
  (when: 'before' | 'after') =>
  (guard: AppendGuard): AppendGuard =>
  (attempt, append) =>
    guard(attempt, async () => {
      if (when === 'after') await append();
      throw new StoreUnavailable('the test', 'killed');
    });

export const contextOf = (more: Partial<CommandContext> = {}): CommandContext => ({
  actor: { id: 'anonymous', roles: [] },
  correlationId: 'trace',
  causationId: 'request',
  ids: randomIds(),
  resumed: false,
  ...more,
});
