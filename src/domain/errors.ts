// The errors of the domain: each has a stable code and typed details, and none knows about HTTP.
import { z } from 'zod';

/** The codes of faults in single fields, which are stable for clients. */
export const FieldErrorCode = z
  .enum([
    ...(['required', 'one-of', 'excluded', 'invalid-type', 'invalid-value', 'invalid-format'] as const),
    ...(['too-small', 'too-big', 'too-deep', 'not-finite', 'inexact-number', 'inverted', 'overlap'] as const),
    ...(['blank', 'control-character', 'lone-surrogate', 'key-not-allowed', 'malformed-json'] as const),
    ...(['duplicate', 'incomplete', 'not-found', 'mismatch', 'options-not-taken', 'taken', 'reserved'] as const),
    ...(['common', 'check-digits', 'not-issued', 'impossible', 'in-future', 'not-allowed'] as const),
    ...(['unknown-parameter', 'unknown-token', 'bad-cursor', 'not-countable'] as const),
  ])
  .meta({ id: 'FieldErrorCode', description: 'The stable code of a fault in a field or a parameter.' });
export type FieldErrorCode = z.infer<typeof FieldErrorCode>;

export interface FieldError {
  readonly path: readonly (string | number)[];
  readonly code: FieldErrorCode;
  readonly message: string;
}

/** An error that the analysis of a form found. */
interface FoundError {
  readonly code: string;
  readonly message: string;
}

type NoDetails = Readonly<Record<never, never>>;

export interface Refusals {
  'protocol-not-found': NoDetails;
  'form-not-found': { readonly formId?: string; readonly version?: number };
  'question-not-found': { readonly questionId: string };
  'option-not-found': { readonly optionId: string };
  'institution-not-found': NoDetails;
  'unity-not-found': { readonly unityId: string };
  'user-not-found': NoDetails;
  'user-taken': { readonly errors: readonly FieldError[] };
  /** `attached`: the users whom the same request has attached all the same. */
  'user-erased': { readonly userId: string; readonly attached?: readonly string[] };
  'profile-not-found': { readonly profileId: string };
  'profile-not-rejected': { readonly profileId: string; readonly approvalStatus: string };
  'own-profile': { readonly profileId: string };
  'email-not-pending': { readonly userId: string };
  'last-administrator': { readonly userId: string };
  'own-enabling': { readonly userId: string };
  'too-many-profiles': { readonly limit: number };
  'specialty-not-found': NoDetails;
  'specialty-name-taken': { readonly errors: readonly FieldError[] };
  'options-not-taken': { readonly questionId: string; readonly responseType: string };
  'too-many-questions': { readonly limit: number };
  'too-many-options': { readonly limit: number };
  'too-many-unities': { readonly limit: number };
  'form-published': { readonly formId: string };
  'form-retired': { readonly formId: string };
  'form-faulty': { readonly findings: readonly FoundError[] };
  'questionnaire-faulty': { readonly findings: readonly FoundError[] };
  'no-published-form': NoDetails;
  'protocol-archived': NoDetails;
  'form-too-large': { readonly limit: number; readonly bytes: number };
  'evidence-too-large': { readonly limit: number };
  'fields-refused': { readonly errors: readonly FieldError[] };
}

export type DomainErrorCode = keyof Refusals;

/** Signals that the rules reject a command. Carries no HTTP status; the HTTP layer maps the code to one. */
export class DomainError<C extends DomainErrorCode = DomainErrorCode> extends Error {
  readonly code: C;
  readonly details: Refusals[C];

  constructor(code: C, details: Refusals[C]) {
    super(code);
    this.name = 'DomainError';
    this.code = code;
    this.details = details;
  }
}
