// The forms in which documents, e-mail addresses and names are compared. They are stored as the client sent them.

/** Returns the letters and digits of a document in lower case; empty if it has none. */
export const comparableDocument = (document: string): string =>
  document
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Returns an e-mail address in lower case. */
export const comparableEmail = (email: string): string => email.toLowerCase();

/** Returns a name in lower case and without accents (Unicode NFKD, marks removed). */
export const comparableName = (name: string): string => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
