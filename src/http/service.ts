// What the routes are given to work with.
import { AuditTrail } from '../audit/trail.js';
import { Passwords } from '../auth/passwords.js';
import { type CommandHandler, commandHandler, type Outcome } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import type { Guard } from '../commands/uniqueness.js';
import { allDeciders } from '../domain/all.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import type { Progress } from '../projections/progress.js';
import { Reader } from './reading.js';
import type { Answer } from './route.js';

export interface Service {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly views: Views;
  readonly reader: Reader;
  readonly trail: AuditTrail;
  readonly passwords: Passwords;
}

/**
 * The service over its stores; `progress` tells how far the views have come, `guarded` gives what every append goes
 * through.
 */
export const serviceOf = (
  { facts, views, vault }: { readonly facts: Facts; readonly views: Views; readonly vault: Vault },
  progress: Progress,
  guarded: (streams: Streams) => Guard,
): Service => {
  const streams = new Streams(facts);
  const categories = allDeciders.map(({ aggregate }) => aggregate);
  return {
    handle: commandHandler(streams, guarded(streams)),
    streams,
    views,
    reader: new Reader(views, streams, progress),
    trail: new AuditTrail(facts, categories),
    passwords: new Passwords(vault),
  };
};

/** The answer to a write: `value` of the aggregate after it. */
export const written = (
  { revision, position }: Pick<Outcome<unknown>, 'revision' | 'position'>,
  value: unknown,
): Answer => ({
  json: JSON.stringify(value),
  revision,
  position,
});
