// Specialties as people name them who sign up: those of the catalogue, and new ones for administrators to look at.
import { setTimeout as pause } from 'node:timers/promises';
import { comparableName } from '../domain/comparable.js';
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

// A name is reserved for the moment that another request takes to add it.
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 25;

/**
 * The id of the specialty of this name, without case and accents. One that nobody knows is added, disabled; of many who
 * name it at once, one adds it, and all get it. Rejects with `TooContended` where its name stays reserved.
 */
export const cataloguedSpecialty = async (
  means: CatalogueDependencies,
  name: string,
  by: CommandContext,
): Promise<string> => {
  const named = { what: 'specialty-name', value: comparableName(name) };
  const { precondition: _, ...context } = by;
  const adding = { ...context, ids: by.ids.part(`specialty ${named.value}`) };
  const data = { name, description: null, enabled: false };
  for (const giveUp = Date.now() + PATIENCE_MS; Date.now() < giveUp; await pause(LOOK_EVERY_MS)) {
    const known = await ownerOf(means, specialty, named);
    if (known !== undefined) return known;
    const command = { type: 'CreateSpecialty', data } as const;
    const added = await means.handle(specialty, 'new', command, adding).catch(unlessTaken);
    if (added !== undefined) return added.id;
  }
  throw new TooContended('the catalogue of specialties');
};

const unlessTaken = (error: unknown): undefined => {
  if (!(error instanceof DomainError) || error.code !== 'specialty-name-taken') throw error;
};
