// Lists the problems of routes that no HTTP test can cause, and names the tests that cause them.
import type { ProblemCode } from '../../src/http/problems/problem-kinds.js';

/** Codes that only load, races or damaged stores cause. Tests of the layer below or tests of faults cause them. */
export const UNPROVOKED_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  // Five conflicts in a row: test/commands, with a store that always conflicts.
  'too-contended',
  // More concurrent passwords than a process hashes: test/auth/passwords.
  'too-many-passwords',
  // A vault without the key of a person who is not erased: test/faults/erasure.e2e.test.ts.
  'personal-key-missing',
  // A read model that does not catch up: test/faults/erasure.e2e.test.ts.
  'erasure-unfinished',
]);

/** Operations with a code that HTTP tests cause only at other operations. */
export const UNPROVOKED: ReadonlySet<string> = new Set([
  // Only for a form that is older than the limit: test/domain/protocol/form-size.test.ts.
  'createFormVersion form-too-large',
  // Only if the new positions have more digits and the form is within a few bytes of its limit: as above.
  'orderQuestions form-too-large',
  'orderOptions form-too-large',
  // A thousand requests: test/domain/institution.test.ts.
  'addUnity too-many-unities',
  // As above: test/audit/evidence.int.test.ts.
  'getProfileEvidence evidence-too-large',
  // The token of a disabled user is refused, unless the user was disabled after the check: test/domain/user.
  'updateUser own-enabling',
  'changePhone user-disabled',
  'changePassword user-disabled',
  // As above, for an erased user: test/auth/passwords/changes.int.test.ts.
  'changePassword user-erased',
  'resetPassword user-erased',
  // A change of the contact address voids its code, unless both happen at the same time:
  // test/domain/user/sign-in-email.test.ts.
  'redeemCode email-not-pending',
]);
