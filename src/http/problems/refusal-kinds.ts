// The problems of the refusals of the domain, with their status, title and advice.
import type { DomainErrorCode } from '../../domain/errors.js';

/** A kind of problem as clients see it. `detail` says what to do next. */
export interface ProblemKind<S extends number = number> {
  readonly status: S;
  readonly title: string;
  readonly detail: string;
}

export const kind = <S extends number>(status: S, title: string, detail: string): ProblemKind<S> => ({
  status,
  title,
  detail,
});

/** All refusals by code. */
export const refusalKinds = {
  'protocol-not-found': kind(404, 'No such protocol', 'Check the id. GET /protocols lists all protocols.'),
  'form-not-found': kind(
    404,
    'No such form of this protocol',
    'GET /protocols/{id}/forms lists the form versions of the protocol.',
  ),
  'question-not-found': kind(
    404,
    'No such question in this protocol',
    'Read the form again. The question may have been deleted, or replacing the questionnaire may have changed its id.',
  ),
  'option-not-found': kind(
    404,
    'No such option in this protocol',
    'Read the form again. The option may have been deleted, or replacing the questionnaire may have changed its id.',
  ),
  'institution-not-found': kind(404, 'No such institution', 'Check the id. GET /institutions lists all institutions.'),
  'unity-not-found': kind(
    404,
    'No such unity of this institution',
    'GET /institutions/{id}/unities lists the unities of the institution.',
  ),
  'user-not-found': kind(404, 'No such user', 'Check the id. GET /users lists all users.'),
  'user-taken': kind(
    409,
    'Another user has this e-mail or document',
    'E-mail addresses are compared without case, and documents by their letters and digits. A value that `errors` lists as reserved becomes free or taken within a minute.',
  ),
  'user-erased': kind(
    410,
    'The personal data of this user was erased',
    'The user can no longer be changed. If the person comes back, register a new user.',
  ),
  'profile-not-found': kind(404, 'No such profile of this user', 'GET /users/{id} shows the profiles of the user.'),
  'profile-not-rejected': kind(
    409,
    'The profile is not rejected',
    'Only a rejected profile can be resubmitted. Read the profile for its current status.',
  ),
  'email-not-pending': kind(
    409,
    'The contact address has changed',
    'The contact address was changed after this code was sent. Redeem the code that was sent to the new address.',
  ),
  'last-administrator': kind(
    409,
    'This is the last enabled administrator',
    'Approve another administrator first. Without an administrator, no profile could be approved.',
  ),
  'own-profile': kind(403, 'Users cannot decide on their own profiles', 'Ask another administrator.'),
  'own-enabling': kind(403, 'Users cannot enable themselves', 'Your user was disabled. Ask an administrator.'),
  'too-many-profiles': kind(409, 'Too many profiles', 'A user can have at most 20 profiles.'),
  'specialty-not-found': kind(404, 'No such specialty', 'Check the id. GET /specialties lists all specialties.'),
  'specialty-name-taken': kind(
    409,
    'Another specialty has this name',
    'Names are compared without case, the accents of Latin and Greek letters, invisible characters and outer white space, and with runs of white space as one blank. Choose another name. A name that `errors` lists as reserved becomes free or taken within a minute.',
  ),
  'options-not-taken': kind(
    409,
    'The question takes no options',
    'Change the responseType of the question to SELECT, MULTIPLE_SELECT or BOOLEAN first.',
  ),
  'too-many-questions': kind(409, 'Too many questions', 'A form can have at most 500 questions.'),
  'too-many-options': kind(409, 'Too many options', 'A question can have at most 200 options.'),
  'too-many-unities': kind(409, 'Too many unities', 'An institution can have at most 1000 unities.'),
  'form-too-large': kind(
    409,
    'The form is too large',
    'A form can have at most 900 KiB, including the ids of its items, and a copy at most 1,000 KiB together with its prompt. `limit` is the limit that this request exceeds, in bytes; it would need `bytes`. Shorten texts and metadata, or split the form.',
  ),
  'form-published': kind(
    409,
    'The form is published',
    'A published form never changes. Create a new version with POST /protocols/{id}/forms/versions and `fromFormId`, and change that version.',
  ),
  'form-retired': kind(
    409,
    'The form is retired',
    'A retired form never changes, and cannot be published again. Create a new version with POST /protocols/{id}/forms/versions and `fromFormId`, and change or publish that version.',
  ),
  'form-faulty': kind(
    409,
    'The form has errors',
    'Correct the errors in `findings` and publish again. If there is only `totals-undecided`, `?undecided=true` publishes the form as it is. GET /protocols/{id}/forms/{formId}/analysis shows all findings.',
  ),
  'questionnaire-faulty': kind(
    422,
    'The questionnaire has errors',
    'Nothing was stored. Correct the errors in `findings`, or omit `strict` to store a draft with errors. If there is only `totals-undecided`, `undecided=true` stores it, too.',
  ),
  'no-published-form': kind(
    404,
    'The protocol has no published form',
    'GET /protocols/{id}/forms lists the form versions with their status. An administrator publishes one with POST /protocols/{id}/forms/{formId}/publish.',
  ),
  'protocol-archived': kind(
    409,
    'The protocol is archived',
    'Restore the protocol with POST /protocols/{id}/restore first, or copy it with POST /protocols/{id}/copies.',
  ),
  'evidence-too-large': kind(
    409,
    'The profile has too many decisions for evidence',
    "Evidence contains at most `limit` decisions on a profile. Send an earlier `asOf`, or ask the operator for a bundle of the whole log (`audit export DIRECTORY` of the operator's tool), which the same verifier checks.",
  ),
  'fields-refused': kind(
    400,
    'The request is not valid',
    'Nothing was stored. Correct the faults in `errors` and send the request again.',
  ),
} satisfies Record<DomainErrorCode, ProblemKind>;
