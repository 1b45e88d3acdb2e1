// The words of a refusal in the reader's language.
import { type FieldFault, Refusal } from '../api/refusal.js';
import type { Texts } from './en.js';

export interface Words {
  readonly title: string;
  readonly advice: string;
}

/** Returns what happened and what to do. A code without a text shows the English words of the service. */
export const wordsOf = ({ problems, states }: Texts, error: unknown): Words => {
  if (!(error instanceof Refusal)) return { title: states.broken, advice: String(error) };
  const { code, title, detail } = error.problem;
  const [ownTitle, ownAdvice] = (problems as Readonly<Record<string, readonly [string, string]>>)[code] ?? [
    title,
    detail,
  ];
  return { title: ownTitle, advice: [ownAdvice, waitOf(states, error)].filter(Boolean).join(' ') };
};

const waitOf = (states: Texts['states'], { retryAfterS }: Refusal): string =>
  retryAfterS === undefined ? '' : states.waitFor(retryAfterS);

/** Returns what is wrong with a field. A code without a text shows the English words of the service. */
export const faultOf = ({ faults }: Texts, { code, message }: FieldFault): string =>
  (faults as Readonly<Record<string, string>>)[code] ?? message;
