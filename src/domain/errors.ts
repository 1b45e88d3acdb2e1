// The refusals of the domain: a stable code each, and what its details say. No HTTP here.

/** One field of a command that breaks a rule which only the aggregate's state can tell. */
export interface FieldError {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

/** The details of a refusal whose code says everything. */
type NoDetails = Readonly<Record<never, never>>;

/** Every refusal a decision can give, by code, with the shape of its details. */
export interface Refusals {
  'protocol-not-found': NoDetails;
  'form-not-found': { readonly formId?: string; readonly version?: number };
  'question-not-found': { readonly questionId: string };
  'option-not-found': { readonly optionId: string };
  'institution-not-found': NoDetails;
  'unity-not-found': { readonly unityId: string };
  'user-not-found': NoDetails;
  'user-taken': { readonly errors: readonly FieldError[] };
  'user-erased': { readonly userId: string };
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
  'fields-refused': { readonly errors: readonly FieldError[] };
}

export type DomainErrorCode = keyof Refusals;

/** A command that the rules do not allow now. The HTTP status is not its business. */
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
