// The context and the refusals of commands that an operator gives with the tool instead of over HTTP.
import { randomBytes } from 'node:crypto';
import type { CommandContext } from '../commands/context.js';
import { newUuid, randomIds } from '../commands/ids.js';
import { DomainError, type DomainErrorCode } from '../domain/errors.js';
import { messageOf, namingSpace } from '../infrastructure/errors.js';

export const operatorContext = (): CommandContext => ({
  actor: { id: 'operator', roles: [] },
  correlationId: randomBytes(16).toString('hex'),
  causationId: newUuid(),
  ids: randomIds(),
  resumed: false,
});

/** Returns the item with a name. Throws an error that lists the names if there is none. `what` is the kind of item. */
export const named = <Item extends { readonly name: string }>(
  what: string,
  all: readonly Item[],
  wanted: string,
): Item => {
  const found = all.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new Error(`${what} ${wanted} does not exist. Pass one of: ${all.map(({ name }) => name).join(', ')}.`);
};

const ADVICE: { readonly [Code in DomainErrorCode]?: string } = {
  'user-not-found': 'There is no such user. Pass the id of a user, as GET /users shows it.',
  'user-erased': 'The user was erased.',
};

/** Returns why a command failed, and for the refusals that an operator meets, what to do next. */
export const refusalOf = (error: unknown): string => {
  if (!(error instanceof DomainError)) return messageOf(namingSpace(error, process.env['DATA_DIR'] || 'data'));
  const { code }: DomainError = error;
  return ADVICE[code] ?? code;
};
