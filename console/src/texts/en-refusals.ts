// The English words of refusals: what happened and what to do, by the code of the problem, and what is wrong with a
// field, by the code of the fault.
const NOT_UNDERSTOOD = 'The service does not understand the request';
const BUSY = 'Nothing was stored. Send it again.';
const FAULT = 'Tell this to the operator of the service.';

/** Types each entry as words, so that another language can have others. */
const table = <C extends string>(words: Readonly<Record<C, readonly [title: string, advice: string]>>) => words;

export const problems = table({
  unreachable: ['The service cannot be reached', 'Check the connection. Nothing that you typed is lost.'],
  // Sign-in, codes and passwords.
  'sign-in-refused': ['Wrong e-mail or password', 'Check both. If you have forgotten the password, set a new one.'],
  'user-disabled': ['Your account is disabled', 'Ask an administrator to enable it again.'],
  'activation-required': ['Your e-mail is not confirmed', 'Enter the code from the e-mail, or ask for a code.'],
  'password-change-required': [
    'The first password works only once',
    'Set your own password, with a code from an e-mail.',
  ],
  'too-many-failures': ['Too many failed attempts', 'The password was not checked.'],
  'too-many-passwords': ['Too many people are signing in', BUSY],
  'current-password-refused': ['The password is wrong', 'Enter the password that you sign in with now.'],
  'code-refused': [
    'This code is not valid',
    'It may be mistyped, used, or expired. Check it, or ask for another code.',
  ],
  'too-many-codes': ['Too many codes', 'Use the newest code, or ask for another one later.'],
  'email-not-pending': ['The code is for another address', 'Enter the code that was sent to the newest address.'],
  'sign-in-required': ['You are not signed in', 'Sign in and try again.'],
  'token-refused': ['Your session is no longer valid', 'Try again. If that does not help, sign in again.'],
  'tokens-refused': ['You could not be signed in', 'Sign in again.'],
  'session-not-found': ['This session has already ended', 'Load the page again to see the current sessions.'],
  'other-user': ['You can do this only for yourself', 'Sign in as the person whose phone it is.'],
  // People and profiles.
  'user-taken': ['Somebody else has this e-mail or document', 'If it is you, sign in or set a new password.'],
  'user-not-found': ['There is no such person', 'Go back to the list and choose again.'],
  'user-erased': ['The data of this person was erased', 'The person can no longer be changed.'],
  'own-enabling': ['You cannot enable yourself', 'Ask an administrator.'],
  'own-profile': ['You cannot decide on your own profile', 'Ask another administrator.'],
  'last-administrator': ['This is the last administrator', 'Approve another administrator first.'],
  'profile-not-found': ['There is no such profile', 'Go back to the list and choose again.'],
  'profile-not-rejected': ['The profile is no longer rejected', 'Load the page again to see its state.'],
  'too-many-profiles': ['You have 20 profiles', 'Nobody can have more. Send a rejected profile again instead.'],
  'not-allowed': ['You may not do this', 'If you have just been approved, load the page again.'],
  'institution-not-found': ['There is no such institution', 'Load the page again and choose another one.'],
  'unity-not-found': ['There is no such unity', 'Load the page again and choose another one.'],
  'specialty-not-found': ['There is no such specialty', 'Load the page again and choose another one.'],
  // Requests.
  'fields-refused': ['Some fields need a correction', 'Nothing was stored. Correct them and send the form again.'],
  'revision-mismatch': ['Somebody was faster', 'Load the page again and compare before you send it again.'],
  'request-in-progress': ['This is still being stored', 'Send it again in a moment: it is stored only once.'],
  'idempotency-key-reused': ['This was already sent with other content', 'Load the page again.'],
  'cross-site-request': [
    'The service takes this page for another site',
    'The operator should set PUBLIC_URL to the address that the browser shows.',
  ],
  'misdirected-request': [
    'The service does not serve this address',
    'In open mode use http://localhost or http://127.0.0.1.',
  ],
  'malformed-request': [NOT_UNDERSTOOD, FAULT],
  'malformed-json': [NOT_UNDERSTOOD, FAULT],
  'unsupported-media-type': [NOT_UNDERSTOOD, FAULT],
  'too-large': ['This is too large', 'Nothing was stored. Shorten the texts.'],
  'body-too-scattered': [NOT_UNDERSTOOD, FAULT],
  // Load and faults.
  'too-many-requests': ['Too many requests', 'The service limits how many it takes.'],
  'too-many-bodies-of-address': ['Too many requests from your network', BUSY],
  'too-many-bodies': ['The service is overloaded', BUSY],
  overloaded: ['The service is overloaded', BUSY],
  busy: ['The service is overloaded', BUSY],
  'too-contended': ['Too many people change the same thing', BUSY],
  'view-behind': ['The service is catching up', 'Your change is stored. It appears here soon.'],
  'store-unavailable': ['The service cannot store or read now', 'Send it again: it is stored only once.'],
  'personal-key-missing': [
    'The data of this person is locked',
    `The person is being erased, or a key is lost. ${FAULT}`,
  ],
  'internal-error': [
    'The service has a fault',
    'Send it again: it is stored only once. If that does not help, tell the operator.',
  ],
});

export const faults = {
  required: 'This field is required.',
  blank: 'Fill in this field.',
  'one-of': 'Only one of the fields is possible.',
  excluded: 'This is not possible together with another field.',
  'invalid-type': 'This is not the right kind of value.',
  'invalid-value': 'Choose one of the values.',
  'invalid-format': 'Check how this is written.',
  'too-small': 'This is too short or too small.',
  'too-big': 'This is too long or too much.',
  'too-deep': 'This is nested too deeply.',
  'not-finite': 'Enter a number.',
  'inexact-number': 'This number has too many digits.',
  inverted: 'The end is before the beginning.',
  overlap: 'This overlaps with another one.',
  'control-character': 'Remove line ends and invisible characters.',
  'lone-surrogate': 'Remove the broken character.',
  'key-not-allowed': 'This name is not allowed.',
  'malformed-json': 'This is not JSON.',
  duplicate: 'This occurs twice.',
  incomplete: 'Something is missing here.',
  'not-found': 'This does not exist. Choose one from the list.',
  mismatch: 'These values do not belong together.',
  'options-not-taken': 'This question takes no options.',
  taken: 'Somebody else has this. If it is you, sign in or set a new password.',
  reserved: 'Somebody is using this just now. Try again in a minute.',
  common: 'This password is easy to guess. Choose another one.',
  'check-digits': 'The check digits are wrong.',
  'not-issued': 'Nobody has this number.',
  impossible: 'There is no such phone number with this country code.',
  'in-future': 'This is in the future.',
  'not-allowed': 'The service sends no messages to this country.',
  'unknown-parameter': 'The service does not know this filter.',
  'unknown-token': 'The service does not know this token. Load the page again.',
  'bad-cursor': 'The list has changed. Load the page again.',
  'not-countable': 'The service cannot count this.',
};
