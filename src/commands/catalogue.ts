// Finds specialties by the names that people give at sign-up. Adds unknown specialties for administrators to review.
import { setTimeout as pause } from 'node:timers/promises';
import { comparableSpecialty } from '../domain/comparable.js';
import { DomainError } from '../domain/errors.js';
import { specialty } from '../domain/specialty.js';
import type { Claims } from './claims.js';
import { type CommandContext, TooContended } from './context.js';
import type { CommandHandler } from './handle-command.js';
import type { Streams } from './streams.js';
import { ownerOf } from './uniqueness.js';

interface CatalogueDependencies {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
}

// While another request adds a name, the name is reserved for a moment.
const TIMEOUT_MS = 5_000;
const POLL_MS = 25;

/**
 * Returns the id of the specialty with this name, as specialties are compared. Adds an unknown name as a disabled
 * specialty. If several requests name it at the same time, one of them adds it and all of them get its id. Rejects with
 * `TooContended` if the name stays reserved.
 */
export const cataloguedSpecialty = async (
  dependencies: CatalogueDependencies,
  name: string,
  by: CommandContext,
): Promise<string> => {
  const named = { kind: 'specialty-name', value: comparableSpecialty(name) };
  const { precondition: _, ...context } = by;
  const adding = { ...context, ids: by.ids.part(`specialty ${named.value}`) };
  const data = { name, description: null, enabled: false };
  for (const giveUp = Date.now() + TIMEOUT_MS; Date.now() < giveUp; await pause(POLL_MS)) {
    const known = await ownerOf(dependencies, specialty, named);
    if (known !== undefined) return known;
    const command = { type: 'CreateSpecialty', data } as const;
    const added = await dependencies.handle(specialty, 'new', command, adding).catch(ignoreTaken);
    if (added !== undefined) return added.id;
  }
  throw new TooContended('the catalogue of specialties');
};

const ignoreTaken = (error: unknown): undefined => {
  if (!(error instanceof DomainError) || error.code !== 'specialty-name-taken') throw error;
};
