// Validates the document of a person without knowing the person.
import { cpf } from 'cpf-cnpj-validator';
import { z } from 'zod';
import { comparableDocument } from '../../../domain/comparable.js';
import { FieldErrorCode } from '../../../domain/errors.js';

const DocumentFault = z.object({ code: FieldErrorCode, message: z.string() }).meta({ id: 'DocumentFault' });

export const DocumentValidation = z
  .object({
    document: z.string(),
    kind: z.enum(['CPF', 'GENERIC']),
    valid: z.boolean(),
    available: z.boolean().describe('Whether no other user has this document.'),
    errors: z.array(DocumentFault),
  })
  .meta({ id: 'DocumentValidation' });

type Examined = Pick<z.infer<typeof DocumentValidation>, 'kind' | 'errors'>;

/** Examines a document. Eleven digits must be a valid CPF; any other document must have a letter or digit. */
export const examineDocument = (document: string): Examined => {
  const compared = comparableDocument(document);
  if (/^\d{11}$/.test(compared)) return { kind: 'CPF', errors: faultsOfCpf(compared) };
  const empty = { code: 'blank', message: 'must have at least one letter or digit' } as const;
  return { kind: 'GENERIC', errors: compared === '' ? [empty] : [] };
};

// `cpf.isValid` also refuses 123.456.789-09, although its check digits are right.
const faultsOfCpf = (digits: string): Examined['errors'] => {
  if (new Set(digits).size === 1) {
    return [{ code: 'not-issued', message: 'is a CPF that no one has: all its digits are equal' }];
  }
  const first = `${digits.slice(0, 9)}${cpf.verifierDigit(digits.slice(0, 9))}`;
  const isRight = digits === `${first}${cpf.verifierDigit(first)}`;
  return isRight ? [] : [{ code: 'check-digits', message: 'is not a valid CPF: its check digits are wrong' }];
};
