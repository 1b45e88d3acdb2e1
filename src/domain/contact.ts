// What two documents, or two e-mail addresses, are compared by. They are kept as they were sent.

/** A document by its letters and digits alone, without case; empty where it has none. */
export const comparableDocument = (document: string): string =>
  document
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** An e-mail address without case. */
export const comparableEmail = (email: string): string => email.toLowerCase();
