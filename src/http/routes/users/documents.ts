// Validates the document of a person without knowing the person.
import { cpf } from 'cpf-cnpj-validator';
import { comparableDocument } from '../../../domain/comparable.js';

export const documentKinds = ['CPF', 'GENERIC'] as const;

/** A fault of a document. */
export interface DocumentFault {
  readonly code: string;
  readonly message: string;
}

/** The kind and the faults of a document. */
export interface ExaminedDocument {
  readonly kind: (typeof documentKinds)[number];
  readonly faults: readonly DocumentFault[];
}

/** Examines a document. Eleven digits must be a valid CPF; any other document must have a letter or digit. */
export const examineDocument = (document: string): ExaminedDocument => {
  const compared = comparableDocument(document);
  if (/^\d{11}$/.test(compared)) {
    const bad = { code: 'check-digits', message: 'is not a valid CPF: its check digits are wrong' };
    return { kind: 'CPF', faults: cpf.isValid(compared) ? [] : [bad] };
  }
  const empty = { code: 'blank', message: 'must have at least one letter or digit' };
  return { kind: 'GENERIC', faults: compared === '' ? [empty] : [] };
};
