// The problems that routes list and that no HTTP test can cause, with what proves each.
import type { ProblemCode } from '../../src/http/kernel/problem-kinds.js';

/** Codes that only load, races or damaged stores cause. Tests of the layer below meet them, or tests of faults. */
export const UNPROVOKED_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  // Five conflicts in a row: test/commands, over a store that conflicts.
  'too-contended',
  // More passwords at once than a process hashes: test/auth/passwords.
  'too-many-passwords',
  // A vault without the key of a person who is not erased: test/faults/erasure.e2e.test.ts.
  'personal-key-missing',
  // A read model that does not follow: test/faults/erasure.e2e.test.ts.
  'erasure-unfinished',
]);

/** Operations with a code that other tests meet at other operations. */
export const UNPROVOKED: ReadonlySet<string> = new Set([
  // Only of a form from before the limit: test/domain/protocol/form-size.test.ts.
  'createFormVersion form-too-large',
  // Only if the new positions have more digits and the form is within a few bytes of its limit: as above.
  'orderQuestions form-too-large',
  'orderOptions form-too-large',
  // A thousand requests: test/domain/institution.test.ts.
  'addUnity too-many-unities',
  // The token of a disabled user is refused, unless the user was disabled since it was checked: test/domain/user.
  'updateUser own-enabling',
  'changePhone user-disabled',
  'changePassword user-disabled',
  // As above, for a user who was erased: test/auth/passwords/changes.int.test.ts.
  'changePassword user-erased',
  'resetPassword user-erased',
  // A change of the contact address voids its code, unless both happen at once: test/domain/user/sign-in-email.test.ts.
  'redeemCode email-not-pending',
]);
