// What documents, e-mail addresses and names are compared by. They are stored as they were sent.

/** A document by its letters and digits alone, without case; empty where it has none. */
export const comparableDocument = (document: string): string =>
  document
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** An e-mail address without case. */
export const comparableEmail = (email: string): string => email.toLowerCase();

/** Returns a name without case and accents (Unicode NFKD, marks removed). */
export const comparableName = (name: string): string => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
