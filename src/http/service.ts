// What the routes are given to work with.
import type { Passwords } from '../auth/passwords.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import type { Views } from '../infrastructure/views/views.js';
import type { Reader } from './reading.js';
import type { Answer } from './route.js';

export interface Service {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly views: Views;
  readonly reader: Reader;
  readonly passwords: Passwords;
}

/** The answer to a write: `value` of the aggregate after it. */
export const written = (
  { revision, position }: Pick<Outcome<unknown>, 'revision' | 'position'>,
  value: unknown,
): Answer => ({
  json: JSON.stringify(value),
  revision,
  position,
});
