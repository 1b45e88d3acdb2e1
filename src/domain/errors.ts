// The errors of the domain: each has a stable code and typed details, and none knows about HTTP.

export interface FieldError {
  readonly path: readonly (string | number)[];
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
