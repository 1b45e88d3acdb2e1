// Limits the size of a form: the event that copies the form into a new version must fit into one append to the log.
import type { Of } from '../decider.js';
import { DomainError } from '../errors.js';
import { evolveForm, type Form, type formEvents, formLimits } from './form.js';
import { copyOf } from './questionnaire.js';

/**
 * Returns the event in a list. Throws `form-too-large` if the event makes its form larger than the limit. An event that
 * shrinks a form above the limit is allowed, so that the form can be repaired. `form` is undefined if the event creates
 * it.
 */
export const bounded = (form: Form | undefined, event: Of<typeof formEvents>): readonly [Of<typeof formEvents>] => {
  const bytes = bytesOf(evolveForm[event.type](form, event.data as never, UNRECORDED));
  if (bytes > formLimits.formBytes && bytes > bytesOf(form)) {
    throw new DomainError('form-too-large', { limit: formLimits.formBytes, bytes });
  }
  return [event];
};

// The size does not depend on dates or on the protocol.
const UNRECORDED = { id: '', at: '' };

// All ids have the same length. Values that the form does not determine count with their longest form.
const anyId = () => '00000000-0000-7000-8000-000000000000';
const NEXT_VERSION = { formId: anyId(), version: Number.MAX_SAFE_INTEGER, copiedFrom: anyId() };

/** Returns the size of the payload of the ProtocolFormVersionCreated that would copy the form. */
const bytesOf = (form: Form | undefined): number => {
  if (form === undefined) return 0;
  const copy = copyOf({ form, isInferred: () => false }, anyId);
  return Buffer.byteLength(JSON.stringify({ ...NEXT_VERSION, ...copy }));
};
