// Holds the unique values of aggregates: what an append brings is claimed before it, what it drops is freed after it.
import { type Decider, fold, type Schemas } from '../domain/decider.js';
import { DomainError, type FieldError } from '../domain/errors.js';
import type { Unique, UniqueValue } from '../domain/unique.js';
import type { Claim, RefusedClaim } from './claim-records.js';
import { type Claims, ClaimsRefused } from './claims.js';
import type { Decided, Loaded, Streams } from './streams.js';

/** An append that is about to be tried: events behind a state that was loaded. */
export interface GuardedAppend<S, E extends Schemas, C extends Schemas> {
  readonly decider: Decider<S, E, C>;
  readonly id: string;
  readonly loaded: Loaded<S>;
  readonly events: readonly Decided[];
  readonly at: string;
}

/**
 * Tries an append, undefined where nothing was recorded, in whatever way it holds what aggregates promise each other.
 * Rejects with a `DomainError` where it may not be tried.
 */
export type Guard = <S, E extends Schemas, C extends Schemas, T>(
  attempt: GuardedAppend<S, E, C>,
  append: () => Promise<T | undefined>,
) => Promise<T | undefined>;

/** Appends without a look at what others have: for aggregates that share no values with others. */
export const unguarded: Guard = (_, append) => append();

/** Appends under the claims of the unique values that the events bring. */
export const uniquely =
  (streams: Streams, claims: Claims): Guard =>
  async (attempt, append) => {
    const { decider, loaded, id, events, at } = attempt;
    const { unique } = decider;
    if (unique === undefined) return append();
    const after = events.reduce((state, event) => fold(decider, state, event, { id, at }), loaded.state);
    const had = unique.values(loaded.state);
    const has = unique.values(after);
    const claim = claimOn(streams, attempt, unique);
    const change = { taken: without(has, had).map(claim), freed: without(had, has).map(claim) };
    try {
      return await claims.during(change, append);
    } catch (error) {
      throw error instanceof ClaimsRefused ? new DomainError(unique.refusal, { errors: faultsOf(error, has) }) : error;
    }
  };

/** Returns the aggregate that has a unique value now; undefined if none has. Rejects if the vault is unavailable. */
export const ownerOf = <S, E extends Schemas, C extends Schemas>(
  { streams, claims }: { readonly streams: Streams; readonly claims: Claims },
  decider: Decider<S, E, C>,
  value: Pick<UniqueValue, 'what' | 'value'>,
): Promise<string | undefined> => claims.ownerOf({ ...value, holds: holding(streams, decider, value) });

/**
 * Refuses values that another aggregate than `except` has now: for a look before what ought not to be done in vain. What
 * counts is the append, which claims them.
 */
export const refuseTaken = async <S, E extends Schemas, C extends Schemas>(
  means: { readonly streams: Streams; readonly claims: Claims },
  decider: Decider<S, E, C>,
  values: readonly UniqueValue[],
  except: string,
): Promise<void> => {
  const owners = await Promise.all(values.map((value) => ownerOf(means, decider, value)));
  const taken = values.filter((_, index) => owners[index] !== undefined && owners[index] !== except);
  const errors = taken.map(({ path }) => ({ path, code: 'taken', message: MESSAGES.taken }));
  // Nobody has values of an aggregate that shares none.
  if (errors.length > 0 && decider.unique !== undefined) throw new DomainError(decider.unique.refusal, { errors });
};

/** Asks an aggregate's stream whether it has a value. */
const holding =
  <S, E extends Schemas, C extends Schemas>(
    streams: Streams,
    decider: Decider<S, E, C>,
    value: Pick<UniqueValue, 'what' | 'value'>,
  ) =>
  async (owner: string): Promise<boolean> => {
    const { state, unreadable } = await streams.fresh(decider, owner);
    // The owner's values cannot be read, so the claim stands: nobody else may take the value meanwhile.
    if (unreadable !== undefined) return true;
    return (decider.unique?.values(state) ?? []).some((held) => isSame(held, value));
  };

const without = (values: readonly UniqueValue[], others: readonly UniqueValue[]) =>
  values.filter((value) => !others.some((other) => isSame(value, other)));

const isSame = (a: Pick<UniqueValue, 'what' | 'value'>, b: Pick<UniqueValue, 'what' | 'value'>) =>
  a.what === b.what && a.value === b.value;

const claimOn =
  <S, E extends Schemas, C extends Schemas>(
    streams: Streams,
    { decider, id }: GuardedAppend<S, E, C>,
    { isPerson }: Unique<S>,
  ) =>
  ({ what, value }: UniqueValue): Claim => ({
    what,
    value,
    owner: id,
    isPerson,
    holds: holding(streams, decider, { what, value }),
  });

const MESSAGES: Readonly<Record<RefusedClaim['by'], string>> = {
  taken: 'belongs to another',
  reserved: 'is reserved by another request, which gets it or loses it within a minute',
};

const faultsOf = ({ refused }: ClaimsRefused, wanted: readonly UniqueValue[]): FieldError[] =>
  refused.map(({ claim, by }) => {
    const path = wanted.find((value) => isSame(value, claim))?.path ?? [];
    return { path, code: by, message: MESSAGES[by] };
  });
