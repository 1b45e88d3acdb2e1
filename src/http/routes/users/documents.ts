// What can be said of a person's document without knowing the person.
import { cpf } from 'cpf-cnpj-validator';
import { comparableDocument } from '../../../domain/comparable.js';

export const documentKinds = ['CPF', 'GENERIC'] as const;

/** What is wrong with a document, in words. */
export interface DocumentFault {
  readonly code: string;
  readonly message: string;
}

/** A document as it was looked at. */
export interface ExaminedDocument {
  readonly kind: (typeof documentKinds)[number];
  readonly faults: readonly DocumentFault[];
}

/** Eleven digits are a CPF, which its check digits tell; anything else needs one letter or digit to be a document. */
export const examineDocument = (document: string): ExaminedDocument => {
  const compared = comparableDocument(document);
  if (/^\d{11}$/.test(compared)) {
    const bad = { code: 'check-digits', message: 'is not a CPF: its check digits do not fit' };
    return { kind: 'CPF', faults: cpf.isValid(compared) ? [] : [bad] };
  }
  const empty = { code: 'blank', message: 'must have at least one letter or digit' };
  return { kind: 'GENERIC', faults: compared === '' ? [empty] : [] };
};
