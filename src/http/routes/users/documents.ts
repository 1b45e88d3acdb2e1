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
  if (/^\d{11}$/.test(compared)) {
    const bad = { code: 'check-digits', message: 'is not a valid CPF: its check digits are wrong' } as const;
    return { kind: 'CPF', errors: cpf.isValid(compared) ? [] : [bad] };
  }
  const empty = { code: 'blank', message: 'must have at least one letter or digit' } as const;
  return { kind: 'GENERIC', errors: compared === '' ? [empty] : [] };
};
