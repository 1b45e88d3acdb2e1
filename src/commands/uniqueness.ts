// Keeps values unique: claims the values that an append adds before it, and frees the values that it removes after it.
import { type Foldable, fold } from '../domain/decider.js';
import { DomainError, type FieldError } from '../domain/errors.js';
import type { Unique, UniqueValue } from '../domain/unique.js';
import { type Claim, type Claims, ClaimsRefused, type RefusedClaim } from './claims.js';
import type { CommandContext } from './context.js';
import type { Decided, Loaded } from './loaded.js';
import type { Streams } from './streams.js';

/** The part of a decider that keeps its values unique. */
export type Guarded<S> = Foldable<S> & { readonly unique?: Unique<S> };

/** An append that is about to be tried: events behind a loaded state. */
interface GuardedAppend<S> {
  readonly decider: Guarded<S>;
  readonly id: string;
  readonly loaded: Loaded<S>;
  readonly events: readonly Decided[];
  readonly at: string;
  /** Whether `append` refuses, because its precondition fails. A guard then writes nothing, but its refusals come first. */
  readonly isStale: boolean;
  readonly context: Pick<CommandContext, 'actor' | 'ids' | 'checkActor'>;
}

/** Tries an append. Returns undefined if nothing was recorded. Rejects with `DomainError` if it must not be tried. */
export type AppendGuard = <S, T>(
  attempt: GuardedAppend<S>,
  append: () => Promise<T | undefined>,
) => Promise<T | undefined>;

export const stateAfter = <S>({ decider, id, loaded, events, at }: GuardedAppend<S>): S =>
  events.reduce((state, event) => fold(decider, state, event, { id, at }), loaded.state);

/** Appends without checking other aggregates: for aggregates that share no unique values. */
export const unguarded: AppendGuard = (_, append) => append();

export const uniquenessGuard =
  (streams: Streams, claims: Claims): AppendGuard =>
  async (attempt, append) => {
    const { decider, id, loaded, context } = attempt;
    const { unique } = decider;
    if (unique === undefined) return append();
    const previous = unique.values(loaded.state);
    const current = unique.values(stateAfter(attempt));
    if (attempt.isStale) return refuseTaken({ streams, claims }, decider, without(current, previous), id).then(append);
    const claim = claimOn(streams, attempt, unique);
    const change = { taken: without(current, previous).map(claim), freed: without(previous, current).map(claim) };
    // Claims wait for the vault, and a password may have been hashed before. The actor may be rejected meanwhile.
    const appendChecked = async () => {
      if (change.taken.length > 0) await context.checkActor?.();
      return append();
    };
    return claims.during(change, appendChecked).catch((error: unknown) => {
      throw error instanceof ClaimsRefused
        ? new DomainError(unique.refusal, { errors: faultsOf(error, decider.aggregate) })
        : error;
    });
  };

/** Returns the aggregate that has a unique value now; undefined if none has it. Rejects if the vault is unavailable. */
export const ownerOf = <S>(
  { streams, claims }: { readonly streams: Streams; readonly claims: Claims },
  decider: Guarded<S>,
  value: Pick<UniqueValue, 'kind' | 'value'>,
): Promise<string | undefined> => claims.ownerOf({ ...value, holds: holdsValue(streams, decider, value) });

/**
 * Rejects if an aggregate other than `except` has one of the values now. Callers avoid useless work with it. It
 * reserves nothing: the append claims the values, and only the claim decides.
 */
export const refuseTaken = async <S>(
  dependencies: { readonly streams: Streams; readonly claims: Claims },
  decider: Guarded<S>,
  values: readonly UniqueValue[],
  except: string,
): Promise<void> => {
  const owners = await Promise.all(values.map((value) => ownerOf(dependencies, decider, value)));
  const taken = values.filter((_, index) => owners[index] !== undefined && owners[index] !== except);
  const errors = taken.map(({ path }) => ({
    path,
    code: 'taken' as const,
    message: MESSAGES.taken(decider.aggregate),
  }));
  // Aggregates without `unique` share no values, so there are no errors.
  if (errors.length > 0 && decider.unique !== undefined) throw new DomainError(decider.unique.refusal, { errors });
};

/**
 * Claims values that an aggregate already has, as far as no other aggregate has them. An aggregate lacks the claim of a
 * value if the comparison of values has changed since the value was recorded.
 */
export const claimOwn = async <S>(
  { streams, claims }: { readonly streams: Streams; readonly claims: Claims },
  decider: Guarded<S>,
  { id, values }: { readonly id: string; readonly values: readonly UniqueValue[] },
): Promise<void> => {
  const { unique } = decider;
  if (unique === undefined) return;
  const taken = values.map(claimOn(streams, { decider, id }, unique));
  await claims
    .during({ taken, freed: [] }, async () => true)
    .catch((error: unknown) => {
      if (!(error instanceof ClaimsRefused)) throw error;
    });
};

const holdsValue =
  <S>(streams: Streams, decider: Guarded<S>, value: Pick<UniqueValue, 'kind' | 'value'>) =>
  async (owner: string): Promise<boolean> => {
    const { state, unreadable } = await streams.fresh(decider, owner);
    // The owner's values cannot be read, so the claim remains valid.
    if (unreadable !== undefined) return true;
    return (decider.unique?.values(state) ?? []).some((held) => isSame(held, value));
  };

const without = (values: readonly UniqueValue[], others: readonly UniqueValue[]) =>
  values.filter((value) => !others.some((other) => isSame(value, other)));

const isSame = (a: Pick<UniqueValue, 'kind' | 'value'>, b: Pick<UniqueValue, 'kind' | 'value'>) =>
  a.kind === b.kind && a.value === b.value;

const claimOn =
  <S>(streams: Streams, { decider, id }: Pick<GuardedAppend<S>, 'decider' | 'id'>, { isPerson }: Unique<S>) =>
  (value: UniqueValue): Claim => ({ ...value, owner: id, isPerson, holds: holdsValue(streams, decider, value) });

const MESSAGES: Readonly<Record<RefusedClaim['reason'], (aggregate: string) => string>> = {
  taken: (aggregate) => `belongs to another ${aggregate}`,
  reserved: () => 'is reserved by another request for at most a minute',
};

const faultsOf = ({ refused }: ClaimsRefused, aggregate: string): FieldError[] =>
  refused.map(({ claim: { path }, reason }) => ({ path, code: reason, message: MESSAGES[reason](aggregate) }));
