// What an aggregate says of values that it alone may have.
import type { FieldError, Refusals } from './errors.js';

/** The refusals that name fields. */
export type FieldsRefusal = {
  [C in keyof Refusals]: Refusals[C] extends { readonly errors: readonly FieldError[] } ? C : never;
}[keyof Refusals];

/** A value that no other aggregate may have. */
export interface UniqueValue {
  /** What the value is, for example `specialty-name`; only values of one kind meet. */
  readonly what: string;
  /** The value in the form in which it is compared. */
  readonly value: string;
  /** The field of a command that carries it. */
  readonly path: FieldError['path'];
}

/** The unique values of an aggregate. They are claimed before an event that brings them is recorded. */
export interface Unique<State> {
  /** How a command is refused that asks for what another aggregate has. */
  readonly refusal: FieldsRefusal;
  /** Whether the aggregate is a person, with whose data the claims are erased. */
  readonly isPerson: boolean;
  /** The unique values that an aggregate in this state has. */
  readonly values: (state: State) => readonly UniqueValue[];
}
