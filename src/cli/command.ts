// What a command of the operator's tool is.
import { pino } from 'pino';
import { serializers } from '../infrastructure/log.js';
import type { AllStores } from '../stores.js';

export interface Command {
  readonly usage: string;
  readonly purpose: string;
  /** Does it with the words behind the command's name. Rejects with a `UsageError` where those are wrong. */
  readonly run: (stores: AllStores, ...given: readonly (string | undefined)[]) => Promise<void>;
}

/** A command that needs no store: it runs where there is none. */
export interface OfflineCommand extends Pick<Command, 'usage' | 'purpose'> {
  readonly runOffline: (...given: readonly (string | undefined)[]) => Promise<void>;
}

/** Commands by name. */
export type Commands = Readonly<Record<string, Command | OfflineCommand>>;

/** What goes wrong beside a command's own output. */
export const log = pino({ level: 'warn', serializers }, pino.destination(2));
