// The context of commands that an operator gives with the tool instead of over HTTP.
import { randomBytes } from 'node:crypto';
import type { CommandContext } from '../commands/context.js';
import { newUuid, randomIds } from '../commands/ids.js';

/** Returns the context of a command of the operator. */
export const operatorContext = (): CommandContext => ({
  actor: { id: 'operator', roles: [] },
  correlationId: randomBytes(16).toString('hex'),
  causationId: newUuid(),
  ids: randomIds(),
  resumed: false,
});
