// Fills a log with events that take a while to fold.
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { created, formWith, question } from '../domain/protocol/samples.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { uuidOf } from '../support/specification.js';

/** Appends protocols, each with a form and 300 more questions. */
export const fill = async (facts: Facts, count: number): Promise<void> => {
  const protocolsMade = Array.from({ length: count }, (_, n) => {
    const questions = Array.from({ length: 300 }, (_, m) => ({
      type: 'ProtocolQuestionAdded',
      data: { formId: formWith([]).data.formId, question: question(m + 1), moved: [] },
    }));
    const events = [created, formWith([]), ...questions].map(({ type, data }) => ({ ...newEvent(data), type }));
    return facts.append(`protocol-${uuidOf(0x900_000 + n)}`, 'no-stream', events);
  });
  await Promise.all(protocolsMade);
};
