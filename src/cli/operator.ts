// The context of commands that an operator gives, by the tool and not over HTTP.
import { randomBytes } from 'node:crypto';
import type { CommandContext } from '../commands/context.js';
import { randomIds } from '../commands/ids.js';
import { newUuid } from '../commands/uuid.js';

/** The context of one command of the operator's. */
export const operatorContext = (): CommandContext => ({
  actor: { id: 'operator', roles: [] },
  correlationId: randomBytes(16).toString('hex'),
  causationId: newUuid(),
  ids: randomIds(),
  resumed: false,
});
