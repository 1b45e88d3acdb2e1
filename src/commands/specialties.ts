// Finds the specialties that requests name. Adds the unknown ones of a sign-up for administrators to review.
import { setTimeout as pause } from 'node:timers/promises';
import { comparableSpecialty } from '../domain/comparable.js';
import { DomainError, type FieldError } from '../domain/errors.js';
import { uuid } from '../domain/fields.js';
import { specialty } from '../domain/specialty.js';
import type { Claims } from './claims.js';
import { type CommandContext, TooContended } from './context.js';
import type { CommandHandler } from './handle-command.js';
import { refuse } from './references.js';
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
  const data = { name: tidy(name), description: null, enabled: false };
  for (const giveUp = performance.now() + TIMEOUT_MS; performance.now() < giveUp; await pause(POLL_MS)) {
    const known = await ownerOf(dependencies, specialty, named);
    if (known !== undefined) return known;
    const command = { type: 'CreateSpecialty', data } as const;
    const added = await dependencies.handle(specialty, 'new', command, adding).catch(ignoreTaken);
    if (added !== undefined) return added.id;
  }
  throw new TooContended('the catalogue of specialties');
};

/** Returns a name without outer white space, and with runs of white space as one blank. */
const tidy = (name: string): string => name.replaceAll(/\p{Cf}*\s[\s\p{Cf}]*/gu, ' ').trim();

// Anonymous callers can sign up, and nothing removes a name from the catalogue.
const MAX_ADDED = 10;

/** Returns an error for each name with which a sign-up would add too many specialties to the catalogue. */
export const tooManyUnknown = async (
  dependencies: Omit<CatalogueDependencies, 'handle'>,
  profiles: readonly { readonly specialties: readonly string[] }[],
): Promise<readonly FieldError[]> => {
  const items = profiles.flatMap(({ specialties }, n) =>
    specialties.map((name, index) => ({
      value: comparableSpecialty(name),
      path: ['profiles', n, 'specialties', index, 'description'],
    })),
  );
  const values = [...new Set(items.map(({ value }) => value))];
  if (values.length <= MAX_ADDED) return [];
  const owners = await Promise.all(
    values.map((value) => ownerOf(dependencies, specialty, { kind: 'specialty-name', value })),
  );
  const tooMany = values.filter((_, index) => owners[index] === undefined).slice(MAX_ADDED);
  const message = `names no specialty of the catalogue, and a sign-up may add at most ${MAX_ADDED}`;
  return items.flatMap(({ value, path }) => (tooMany.includes(value) ? [{ path, code: 'too-big', message }] : []));
};

const ignoreTaken = (error: unknown): undefined => {
  if (!(error instanceof DomainError) || error.code !== 'specialty-name-taken') throw error;
};

type FindSpecialty = (named: string) => Promise<string | undefined>;

/** Returns a function that finds the id of a specialty by its id, and by its name as specialties are compared. */
export const specialtyNamed =
  (dependencies: Omit<CatalogueDependencies, 'handle'>): FindSpecialty =>
  async (named) => {
    const id = uuid().safeParse(named);
    if (id.success && (await dependencies.streams.load(specialty, id.data)).revision >= 0) return id.data;
    return ownerOf(dependencies, specialty, { kind: 'specialty-name', value: comparableSpecialty(named) });
  };

/** Returns the ids of the specialties in these lists. Rejects unknown ids, and ids that a list names twice. */
export const specialtiesNamed = async (
  find: FindSpecialty,
  lists: readonly { readonly named: readonly string[]; readonly path: FieldError['path'] }[],
): Promise<readonly (readonly string[])[]> => {
  const found = await Promise.all(lists.map(({ named }) => Promise.all(named.map(find))));
  refuse(found.flatMap((ids, list) => errorsIn(ids, lists[list]?.path ?? [])));
  return found.map((ids) => ids.filter((id) => id !== undefined));
};

const errorsIn = (ids: readonly (string | undefined)[], path: FieldError['path']): readonly FieldError[] =>
  ids.flatMap((id, index): FieldError[] => {
    const at = [...path, index];
    if (id === undefined) return [{ path: at, code: 'not-found', message: 'names no specialty of the catalogue' }];
    const isFirst = ids.indexOf(id) === index;
    return isFirst
      ? []
      : [{ path: at, code: 'duplicate', message: 'must not name the same specialty as a previous item' }];
  });
