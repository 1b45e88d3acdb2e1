// The values that only one aggregate may have.
import type { FieldError } from './errors.js';

export interface UniqueValue {
  /** The kind of the value, for example `specialty-name`. Values of different kinds never collide. */
  readonly kind: string;
  /** The value in its comparable form. */
  readonly value: string;
  /** The field of the command that carries the value. */
  readonly path: FieldError['path'];
}

/** The unique values of an aggregate. They are claimed before an event with new values is recorded. */
export interface Unique<State> {
  /** The error code of a command that asks for a value of another aggregate. */
  readonly refusal: 'specialty-name-taken' | 'user-taken';
  /** Whether the aggregate is a person. The claims of a person are erased with the person's data. */
  readonly isPerson: boolean;
  readonly values: (state: State) => readonly UniqueValue[];
}
